import type { Ambient } from "../../abi/ambient.js";

/** Arbitrary fixed time: 2026-01-01T00:00:00Z. */
const NOW = Date.UTC(2026, 0, 1);
/** Monotonic clock of the process in ms. */
const MONOTONIC = 1_000_000;
const DIGITS = "00112233445566778899aabbccddeeff";

/** Fixed clocks and random numbers, so that two sides differ only by their configurations. */
export const fixedAmbient = (chance: number): Ambient => ({
  now: () => NOW,
  monotonic: () => MONOTONIC,
  random: () => chance,
  hex: (bytes) => DIGITS.repeat(Math.ceil((2 * bytes) / DIGITS.length)).slice(0, 2 * bytes),
  pid: () => 1,
});
