import type { TaskType } from "../../captcha-table.js";
import { MAX_BITS } from "../pow/proof.js";
import type { Pressure } from "../score/network-signals.js";
import type { SessionRecord } from "./sessions.js";

/** People do not like every picture. */
const FREE_SKIPS = 3;
/** Extra bits for audio, which signal processing solves at once (reference 4.3). */
const AUDIO_BITS = 4;
const MAX_WAIT_MS = 8_000;

export const triesOf = ({ failed, skipped }: Pick<SessionRecord, "failed" | "skipped">): number =>
  failed + Math.max(0, skipped - FREE_SKIPS);

/**
 * Bits of each puzzle (reference 4.6): one more for three failures, one above the network's soft limit, two
 * if that lasts, and the price (docs/captcha/price.md). At most 18, or the site key's setting if higher.
 */
export function bitsFor(
  base: number,
  {
    tries = 0,
    pressure = 0,
    price = 0,
    type,
  }: { tries?: number; pressure?: Pressure; price?: number; type?: TaskType },
): number {
  const more = Math.floor(tries / 3) + pressure + price + (type === "audio" ? AUDIO_BITS : 0);
  return Math.min(MAX_BITS, base + more);
}

/** Delay in ms: 0 after one failure, then half a second, doubling up to eight seconds (C27). */
export const waitAfter = (tries: number): number =>
  tries < 2 ? 0 : Math.min(MAX_WAIT_MS, 250 * 2 ** Math.min(tries - 1, 10));
