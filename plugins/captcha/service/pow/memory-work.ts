import { randomInt, timingSafeEqual } from "node:crypto";
import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { MemoryChecks } from "../contract.js";
import type { MemoryChallenge, PowAnswer, PowChallenge } from "../protocol.js";
import { MAX_BITS, newChallenge, type PowFault, powFault } from "./proof.js";

/** 19 MiB, two passes, one lane: the least that OWASP recommends for passwords; with 64 MiB old phones fail. */
const SIZE = { kib: 19_456, passes: 2 } as const;
/** Hashes before a tick: 0.8 s in a desktop's browser; and for the way without a puzzle: 3.3 s. */
export const MEMORY_HASHES = { tick: 16, patience: 64 } as const;
/** Bits of each puzzle that a browser without WebAssembly does instead: 16 times the work. */
const BITS_INSTEAD = 4;

const HASH = /^[0-9a-f]{32}$/;

/** Whether a tick takes memory-hard work: as the site key says, or while it is under attack and the checks are not behind. */
export const takesMemory = (
  { work }: Pick<CaptchaSiteKey, "work">,
  attack: number,
  { isBehind }: Pick<MemoryChecks, "isBehind">,
): boolean => work === "argon2id" || (work === "adaptive" && attack > 0 && !isBehind);

/**
 * A challenge with memory-hard work. The SHA-256 puzzles stay: they are checked first, and in microseconds, so that a hash of ours costs
 * whoever asks for it as much in vain.
 * @param bits of the puzzles
 * @param instead bits of them without WebAssembly
 */
export function memoryChallenge(bits: number, n: number, instead = bits + BITS_INSTEAD): PowChallenge {
  return { ...newChallenge(bits), memory: { ...SIZE, n, instead_bits: Math.min(MAX_BITS, instead) } };
}

/**
 * Why an answer does not solve a challenge, or undefined when it does. Of memory-hard work one hash is computed anew, chosen by chance: who
 * leaves out half of them passes half of the time, and gains nothing.
 * @throws MemoryBusyError, StorageError
 */
export async function workFault(
  challenge: PowChallenge,
  answer: PowAnswer,
  checks: Pick<MemoryChecks, "hash">,
): Promise<PowFault | undefined> {
  const { memory } = challenge;
  const without = memory !== undefined && answer.memory === undefined;
  const fault = powFault(without ? { ...challenge, bits: memory.instead_bits } : challenge, answer);
  if (fault !== undefined || memory === undefined || answer.memory === undefined) return fault;
  return memoryFault(challenge.salt, memory, answer.memory, checks);
}

async function memoryFault(
  salt: string,
  challenge: MemoryChallenge,
  hashes: readonly string[],
  checks: Pick<MemoryChecks, "hash">,
): Promise<PowFault | undefined> {
  if (hashes.length !== challenge.n) return "count";
  if (!hashes.every((hash) => HASH.test(hash))) return "range";
  if (new Set(hashes).size !== hashes.length) return "distinct";
  const index = randomInt(challenge.n);
  const right = await checks.hash(salt, index, challenge);
  return timingSafeEqual(Buffer.from(right), Buffer.from(hashes[index] ?? "")) ? undefined : "wrong";
}

/** Bits that an answer that is right is worth: memory-hard work as much as what may be done instead. */
export const worthOf = ({ bits, memory }: Pick<PowChallenge, "bits" | "memory">): number =>
  memory?.instead_bits ?? bits;
