import type { Partition } from "./client.js";

/** Kafka's `Utils.murmur2` (32 bits, its seed), so that all clients map a key to the same partition. */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  const words = length & ~3;
  let hash = 0x9747b28c ^ length;
  for (let i = 0; i < words; i += 4) {
    const word =
      byte(bytes, i) | (byte(bytes, i + 1) << 8) | (byte(bytes, i + 2) << 16) | (byte(bytes, i + 3) << 24);
    const mixed = Math.imul(word, 0x5bd1e995);
    hash = Math.imul(hash, 0x5bd1e995) ^ Math.imul(mixed ^ (mixed >>> 24), 0x5bd1e995);
  }
  const rest = length & 3;
  if (rest > 2) hash ^= byte(bytes, words + 2) << 16;
  if (rest > 1) hash ^= byte(bytes, words + 1) << 8;
  if (rest > 0) hash = Math.imul(hash ^ byte(bytes, words), 0x5bd1e995);
  hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995);
  return hash ^ (hash >>> 15);
}

/** Clears the sign first, as the Java client (`Utils.toPositive`). */
export function partitionOf(key: Uint8Array, count: number): number {
  return (murmur2(key) & 0x7fffffff) % count;
}

/** Round-robin for records without a key, one whole request each; skips partitions without leader. */
export class Rotation {
  #next = Math.floor(Math.random() * 0x10000);

  next(partitions: readonly Partition[]): number {
    const led = partitions.filter(({ leader }) => leader >= 0);
    const from = led.length > 0 ? led : partitions;
    return from[this.#next++ % from.length]?.id ?? 0;
  }
}

const byte = (bytes: Uint8Array, at: number) => bytes[at] ?? 0;
