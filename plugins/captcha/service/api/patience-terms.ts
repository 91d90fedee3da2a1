import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts } from "../contract.js";
import { isTestKey } from "./sale.js";
import type { SessionRecord } from "./sessions.js";

/** Score from which on evidence is decisive: a browser that says it is driven (score/model.ts). */
const DECISIVE = 0.9;
/** An integrator's test need not wait as a visitor does. */
const TEST_WAIT_MS = 1_000;

/**
 * Whether a visitor may choose work and a wait in place of a puzzle. A task shows by itself that it is worth something; here that falls to
 * what was seen at the tick: a browser has run the session's program, and no evidence was decisive. Who is shut out has the tasks.
 */
export const isPatient = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  { tick }: Pick<SessionRecord, "tick">,
): boolean =>
  siteKey.patience &&
  tick !== undefined &&
  (isTestKey(parts, siteKey) || (tick.proven && tick.score < DECISIVE));

/** Milliseconds that it takes: half as many more for each level of difficulty. */
export const waitOf = (
  parts: Pick<CaptchaParts, "configuration">,
  siteKey: CaptchaSiteKey,
  level: number,
): number =>
  isTestKey(parts, siteKey)
    ? TEST_WAIT_MS
    : parts.configuration().settings.price.patienceMs * (1 + level / 2);
