import type { Observed } from "../../runtime/control/in-process/exchange-spec.js";
import type { Mismatch } from "../in-process/log-differences.js";
import { mismatches } from "../in-process/mismatches.js";
import type { CaseExchange } from "./case-file.js";

export interface Seen extends Observed {
  /** Number of requests to services during the exchange, by name. */
  serviceRequests: ReadonlyMap<string, number>;
  /** Errors of the gateway during the exchange, which explain any other mismatch. */
  faults: readonly Fault[];
}

/** Event that the data plane reports, such as "module_failed", and the thrown error. */
export interface Fault {
  event: string;
  reason: unknown;
}

export function differences({ expect }: CaseExchange, seen: Seen): Mismatch[] {
  const { service_requests: wanted = {}, ...expected } = expect;
  const services = Object.entries(wanted).flatMap(([name, count]) => {
    const actual = seen.serviceRequests.get(name) ?? 0;
    if (actual === count) return [];
    const what = `requests to the service "${name}"`;
    return [{ path: ["service_requests", name], what, expected: count, actual }];
  });
  return [...services, ...mismatches(expected, seen)];
}

const shown = (value: unknown) => (value === undefined ? "none" : JSON.stringify(value));

export const differenceText = ({ what, expected, actual }: Mismatch): string =>
  `${what}: got ${shown(actual)}, expected ${shown(expected)}`;
