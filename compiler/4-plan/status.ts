import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { Step } from "../model/plan.js";
import { headerActionsOf } from "./credentials.js";

/** Status that a plugin gives to responses, with the span of its setting. */
export interface StatusInput {
  status: number;
  span: Span;
}

/** Headers that a response with the status must have (RFC 9110 sections 11.6.1, 15.5.6 and 11.7.1). */
const NEEDED: ReadonlyMap<number, string> = new Map([
  [401, "WWW-Authenticate"],
  [405, "Allow"],
  [407, "Proxy-Authenticate"],
]);

/** Reports statuses without their required header, which any plugin of the pipeline may set. */
export function reportMissingFields(
  statuses: readonly StatusInput[],
  steps: readonly Step[],
  report: (finding: Diagnostic) => void,
): void {
  for (const { status, span } of statuses) {
    const name = NEEDED.get(status);
    if (name !== undefined && !sets(steps, name)) report(diagnostic("GW4207", span, { status, name }));
  }
}

const sets = (steps: readonly Step[], name: string): boolean =>
  steps.some(
    (step) =>
      step.phase === "headerFilter" &&
      headerActionsOf(step).some(
        (one) => one.action !== "remove" && one.name.toLowerCase() === name.toLowerCase(),
      ),
  );
