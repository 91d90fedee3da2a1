/** Runs in the service's thread and in the browser's worker: has neither Node's types nor the DOM's. */
import { argon2id } from "hash-wasm";
import type { MemoryChallenge } from "../protocol.js";

const LENGTH = 16;

/**
 * Argon2id (RFC 9106) of the index as four bytes, big-endian, one lane. Salt and result have 32 hexadecimal
 * digits.
 * @throws Error if WebAssembly must not be compiled
 */
export function memoryHash(
  salt: string,
  index: number,
  { kib, passes }: Pick<MemoryChallenge, "kib" | "passes">,
): Promise<string> {
  const bytes = (salt.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return argon2id({
    password: Uint8Array.of(index >>> 24, index >>> 16, index >>> 8, index),
    salt: Uint8Array.from(bytes),
    iterations: passes,
    parallelism: 1,
    memorySize: kib,
    hashLength: LENGTH,
    outputType: "hex",
  });
}
