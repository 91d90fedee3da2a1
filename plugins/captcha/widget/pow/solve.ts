import type { PowChallenge } from "../../service/protocol.js";
import { hashBlock } from "./sha256.js";

/** Bytes of each attempt: salt (16), index (1), x (4). */
const LENGTH = 21;

/**
 * Reference 4.6: SHA-256(salt || u8 index || u32be x) starts with `bits` zero bits.
 * @returns `n` distinct integers below 2^32, in order of the puzzles
 * @throws RangeError if the salt is not 16 bytes in hexadecimal, or bits are outside 0..32
 */
export function solve({ salt, bits, n }: Pick<PowChallenge, "salt" | "bits" | "n">): number[] {
  if (!/^[0-9a-f]{32}$/i.test(salt) || !(bits >= 0 && bits <= 32)) throw new RangeError("puzzle");
  const block = new Int32Array(16);
  for (let i = 0; i < 4; i++) block[i] = Number.parseInt(salt.slice(8 * i, 8 * i + 8), 16);
  block[15] = 8 * LENGTH;
  const answers: number[] = [];
  // Each puzzle continues from the previous answer, so that no answer occurs twice.
  let x = 0;
  for (let index = 0; index < n; index++) {
    x = firstAnswer(block, index, bits, x);
    answers.push(x++);
  }
  return answers;
}

const digest = new Int32Array(8);

function firstAnswer(block: Int32Array, index: number, bits: number, from: number): number {
  const shift = 32 - bits;
  for (let x = from; x < 2 ** 32; x++) {
    // Bytes 16..20 are the index and x; byte 21 is the padding's first.
    block[4] = (index << 24) | (x >>> 8);
    block[5] = (x << 24) | 0x80_0000;
    hashBlock(block, digest);
    // A shift by 32 would be a shift by 0 (ECMA-262 section 6.1.6.1.11).
    if (shift === 32 || (digest[0] as number) >>> shift === 0) return x;
  }
  throw new RangeError("no answer");
}
