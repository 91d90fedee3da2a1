import type { ProgramAnswer } from "../protocol.js";

/**
 * Binds the observations of a frame to its session: frame and service share the code. Prevents the replay of
 * a recorded run in another session, whose key differs. A program that computes all observations gets it
 * right, so 64 bits suffice; it costs the service below a microsecond.
 */
export class RunningDigest {
  #a: number;
  #b: number;

  /** @param key 64 bits of the session's seed, as two unsigned integers */
  constructor([a, b]: readonly [number, number]) {
    this.#a = a | 0;
    this.#b = b | 0;
  }

  /** @param values integers, of which the lowest 32 bits count */
  add(values: readonly number[]): this {
    for (const value of values) this.#mix(value | 0);
    // Otherwise [1], [2] and [1, 2] would be equal.
    this.#mix(values.length ^ 0x5bd1_e995);
    return this;
  }

  addText(text: string): this {
    for (let i = 0; i < text.length; i++) this.#mix(text.charCodeAt(i));
    this.#mix(text.length ^ 0x2c1b_3c6d);
    return this;
  }

  /** 16 hexadecimal digits. */
  get text(): string {
    const digits = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
    return digits(this.#a) + digits(this.#b);
  }

  /** Constants of MurmurHash3's 32-bit steps. */
  #mix(value: number): void {
    const a = Math.imul(this.#a ^ value, 0xcc9e_2d51);
    const b = Math.imul(this.#b ^ a ^ (value << 16), 0x1b87_3593);
    this.#a = Math.imul(((a << 15) | (a >>> 17)) ^ b, 5) + 0x6b64;
    this.#b = Math.imul((b ^ (b >>> 13)) + this.#a, 0xc2b2_ae35) | 0;
    this.#a |= 0;
  }
}

/** Signed 32-bit hash, for answers that are words. */
export function numberOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash | 0;
}

export function digestOf(
  key: readonly [number, number],
  { state, samples, rows }: Omit<ProgramAnswer, "digest">,
  telemetry: unknown,
): string {
  const digest = new RunningDigest(key);
  for (const sample of samples) digest.add(sample);
  for (const row of rows) digest.add(row ?? []);
  return digest.addText(state).addText(JSON.stringify(telemetry) ?? "").text;
}
