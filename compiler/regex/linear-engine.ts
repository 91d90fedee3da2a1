import type { RegexTranslation } from "./regex.js";

/** V8 unrolls counted repetitions up to this factor, nested ones multiplied (kMaxReplicationFactor, V8 11.3). */
const MAX_REPLICATION = 16;

/**
 * Whether V8's linear engine takes over when such a pattern backtracks too much (workers run with
 * `--enable-experimental-regexp-engine-on-excessive-backtracks`): no look-around, no back reference, only small counts.
 */
export function runsInLinearEngine(translation: RegexTranslation & { ok: true }): boolean {
  const { source, flags } = translation;
  if (/[iu]/.test(flags)) return false;
  const bare = source.replace(/\[(?:\\.|[^\]\\])*\]/g, "[]");
  if (/\(\?(?:[=!]|<[=!])|\\[1-9]/.test(bare.replace(/\\\\/g, ""))) return false;
  let factor = 1;
  for (const [, low = "", , high = ""] of bare.matchAll(/\{(\d+)(,(\d*))?\}/g))
    factor *= Math.max(Number(low), Number(high), 1);
  return factor <= MAX_REPLICATION;
}
