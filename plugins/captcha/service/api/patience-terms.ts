import { isTestKey } from "./sale.js";
import type { SessionCall } from "./sessions.js";

/** Score of a browser that says it is automated (score/model.ts). */
const DECISIVE = 0.9;
const TEST_WAIT_MS = 1_000;

/**
 * Admission to the way without a puzzle. No task proves a visitor there, so the tick must: the browser ran
 * the session's program, and no evidence is decisive.
 */
export function isPatient({ parts, siteKey, session: { tick } }: SessionCall): boolean {
  if (!siteKey.patience || tick === undefined) return false;
  return isTestKey(parts, siteKey) || (tick.proven && tick.score < DECISIVE);
}

/** Duration in ms, half as much again for each level of difficulty. */
export const waitOf = ({ parts, siteKey }: SessionCall, level: number): number =>
  isTestKey(parts, siteKey)
    ? TEST_WAIT_MS
    : parts.configuration().settings.price.patienceMs * (1 + level / 2);
