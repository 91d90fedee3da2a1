import type { Ambient } from "../../abi/ambient.js";

/** A moment of no configuration: 2026-01-01T00:00:00Z. */
const NOW = Date.UTC(2026, 0, 1);
/** Monotonic clock of the process in ms. */
const MONOTONIC = 1_000_000;
const DIGITS = "00112233445566778899aabbccddeeff";

/**
 * Clocks that stand still and chance that always says the same, whoever asks first: what differs between two sides under them, their
 * configurations have made.
 */
export const fixedAmbient = (chance: number): Ambient => ({
  now: () => NOW,
  monotonic: () => MONOTONIC,
  random: () => chance,
  hex: (bytes) => DIGITS.repeat(Math.ceil((2 * bytes) / DIGITS.length)).slice(0, 2 * bytes),
  pid: () => 1,
});
