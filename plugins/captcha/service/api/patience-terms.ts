import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts } from "../contract.js";
import { isTestKey } from "./sale.js";
import type { SessionRecord } from "./sessions.js";

/** Score of a browser that says it is automated (score/model.ts). */
const DECISIVE = 0.9;
const TEST_WAIT_MS = 1_000;

/**
 * Admission to the way without a puzzle. No task proves a visitor there, so the tick must: the browser ran
 * the session's program, and no evidence is decisive.
 */
export const isPatient = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  { tick }: Pick<SessionRecord, "tick">,
): boolean =>
  siteKey.patience &&
  tick !== undefined &&
  (isTestKey(parts, siteKey) || (tick.proven && tick.score < DECISIVE));

/** Duration in ms, half as much again for each level of difficulty. */
export const waitOf = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  level: number,
): number =>
  isTestKey(parts, siteKey)
    ? TEST_WAIT_MS
    : parts.configuration().settings.price.patienceMs * (1 + level / 2);
