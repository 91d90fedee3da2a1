import { isDeepStrictEqual } from "node:util";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../runtime/abi/passive-checks.js";
import type { PassiveChecksValue } from "./values.js";

/** Default if statuses are configured. */
const HTTP_FAILURES = 5;

/** Adds every default. @returns undefined if all checks are defaults */
export function passiveChecks(value: PassiveChecksValue | undefined): PassiveChecks | undefined {
  const { healthy, unhealthy } = value ?? {};
  const named = unhealthy?.http_statuses;
  const checks: PassiveChecks = {
    tcpFailures: unhealthy?.tcp_failures ?? PASSIVE_CHECKS.tcpFailures,
    timeouts: unhealthy?.timeouts ?? PASSIVE_CHECKS.timeouts,
    httpFailures: unhealthy?.http_failures ?? (named ? HTTP_FAILURES : PASSIVE_CHECKS.httpFailures),
    httpStatuses: named === undefined ? PASSIVE_CHECKS.httpStatuses : [...named].sort((a, b) => a - b),
    successes: healthy?.successes ?? PASSIVE_CHECKS.successes,
    ejectionTime: value?.ejection_time ?? PASSIVE_CHECKS.ejectionTime,
    maxEjectionTime: value?.max_ejection_time ?? PASSIVE_CHECKS.maxEjectionTime,
    maxEjectedPercent: value?.max_ejected_percent ?? PASSIVE_CHECKS.maxEjectedPercent,
    slowStart: value?.slow_start ?? PASSIVE_CHECKS.slowStart,
  };
  return isDeepStrictEqual(checks, PASSIVE_CHECKS) ? undefined : checks;
}
