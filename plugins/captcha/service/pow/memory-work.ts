import { randomInt, timingSafeEqual } from "node:crypto";
import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { MemoryChecks } from "../contract.js";
import type { MemoryChallenge, PowAnswer, PowChallenge } from "../protocol.js";
import { MAX_BITS, newChallenge, type PowFault, powFault } from "./proof.js";

/** 19 MiB, two passes, one lane: the minimum that OWASP recommends for passwords; 64 MiB fail on old phones. */
const SIZE = { kib: 19_456, passes: 2 } as const;
/** Number before a tick (0.8 s in a desktop's browser) and for the way without a puzzle (3.3 s). */
export const MEMORY_HASHES = { tick: 16, patience: 64 } as const;
/** Extra bits of each puzzle in a browser without WebAssembly: 16 times the work. */
const BITS_INSTEAD = 4;

const HASH = /^[0-9a-f]{32}$/;

/** True by the site key, or during an attack while the checks are not behind. */
export const takesMemory = (
  { work }: Pick<CaptchaSiteKey, "work">,
  attack: number,
  { isBehind }: Pick<MemoryChecks, "isBehind">,
): boolean => work === "argon2id" || (work === "adaptive" && attack > 0 && !isBehind);

/**
 * The SHA-256 puzzles stay and are checked first, in microseconds: to cause one hash of ours in vain costs an
 * attacker as much.
 * @param instead bits of the puzzles without WebAssembly
 */
export function memoryChallenge(bits: number, n: number, instead = bits + BITS_INSTEAD): PowChallenge {
  return { ...newChallenge(bits), memory: { ...SIZE, n, instead_bits: Math.min(MAX_BITS, instead) } };
}

/**
 * Undefined if the answer solves the challenge. Computes one random hash again: an attacker who omits half of
 * them passes half of the time, and gains nothing.
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

/** Bits; memory-hard work counts as much as its replacement. */
export const worthOf = ({ bits, memory }: Pick<PowChallenge, "bits" | "memory">): number =>
  memory?.instead_bits ?? bits;
