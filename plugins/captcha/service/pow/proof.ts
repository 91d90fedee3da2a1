import { createHash, randomBytes } from "node:crypto";
import type { PowAnswer, PowChallenge } from "../protocol.js";

/** The time of many small puzzles varies less than that of a large one (captcha reference section 4.6). */
const PUZZLES = 16;
/** A larger puzzle would keep a phone busy for half a minute. */
export const MAX_BITS = 18;
const LAST = 0xffff_ffff;

/** Hashes per second that no browser's worker reaches: 3.2 million were measured, 40 million need native code. */
const IMPOSSIBLE_RATE = 40e6;

/** 128 bits of salt, so that nothing can be precomputed. */
export function newChallenge(bits: number): PowChallenge {
  return {
    id: randomBytes(16).toString("base64url"),
    salt: randomBytes(16).toString("hex"),
    bits: Math.min(MAX_BITS, bits),
    n: PUZZLES,
  };
}

export type PowFault = "id" | "count" | "range" | "distinct" | "wrong";

/**
 * Undefined if solved: SHA-256(salt || u8 i || u32be answers[i]) begins with `bits` zero bits for each i. All
 * are distinct integers below 2^32, including 0. At most 16 hashes.
 */
export function powFault(challenge: PowChallenge, { id, answers }: PowAnswer): PowFault | undefined {
  if (id !== challenge.id) return "id";
  if (answers.length !== challenge.n) return "count";
  if (!answers.every((x) => Number.isInteger(x) && x >= 0 && x <= LAST)) return "range";
  if (new Set(answers).size !== answers.length) return "distinct";
  const input = Buffer.alloc(21);
  input.write(challenge.salt, 0, 16, "hex");
  const solved = answers.every((x, index) => {
    input.writeUInt8(index, 16);
    input.writeUInt32BE(x, 17);
    return leadingZeroBits(createHash("sha256").update(input).digest()) >= challenge.bits;
  });
  return solved ? undefined : "wrong";
}

function leadingZeroBits(digest: Buffer): number {
  const head = digest.readUInt32BE(0);
  return head === 0 ? 32 : Math.clz32(head);
}

export const expectedHashes = ({ bits, n }: Pick<PowChallenge, "bits" | "n">): number => n * 2 ** bits;

/** Group E. @param ms measured by the server */
export const isImpossiblyFast = (challenge: Pick<PowChallenge, "bits" | "n">, ms: number): boolean =>
  ms < (expectedHashes(challenge) / IMPOSSIBLE_RATE) * 1_000;
