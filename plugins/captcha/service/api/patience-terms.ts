import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts } from "../contract.js";
import { isTestKey } from "./sale.js";
import type { SessionRecord } from "./sessions.js";

/** Minimum score of decisive evidence: a browser that says it is automated (score/model.ts). */
const DECISIVE = 0.9;
/** An integrator's test waits less than a visitor. */
const TEST_WAIT_MS = 1_000;

/**
 * Reports whether a visitor may choose work and a wait instead of a puzzle. A task proves its worth by
 * itself; here the evidence of the tick decides. A browser must have run the session's program, and no
 * evidence may be decisive. Other visitors have the tasks.
 */
export const isPatient = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  { tick }: Pick<SessionRecord, "tick">,
): boolean =>
  siteKey.patience &&
  tick !== undefined &&
  (isTestKey(parts, siteKey) || (tick.proven && tick.score < DECISIVE));

/** Duration of the wait in ms: half as much again for each level of difficulty. */
export const waitOf = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  level: number,
): number =>
  isTestKey(parts, siteKey)
    ? TEST_WAIT_MS
    : parts.configuration().settings.price.patienceMs * (1 + level / 2);
