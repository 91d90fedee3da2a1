import { diagnostic } from "../diagnostics/report.js";
import type { Report, Span } from "../model/diagnostic.js";
import type { ConfigPath, HeaderAction, Step } from "../model/plan.js";
import { findPlugin } from "../plugin/registry.js";

/** Returns the header actions of a step, in the member of its data that the definition names. */
export const headerActionsOf = ({ plugin, data }: Step): HeaderAction[] =>
  headerActions(data, findPlugin(plugin)?.headerActions);

/** Returns the header actions in a member of data; a plugin of a package may keep anything there. */
function headerActions(data: unknown, member = "headers"): HeaderAction[] {
  const actions = ((data ?? {}) as Record<string, unknown>)[member];
  return Array.isArray(actions) ? actions.filter(isHeaderAction) : [];
}

function isHeaderAction(written: unknown): written is HeaderAction {
  const { action, name, values } = (written ?? {}) as Partial<HeaderAction>;
  const isText = (value: unknown) =>
    Array.isArray(value) && value.every((part) => typeof part === "object" && part !== null);
  return (
    typeof action === "string" && typeof name === "string" && Array.isArray(values) && values.every(isText)
  );
}

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
  report: Report,
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

/** Headers of a message, in lower case, each with the first setting that changes it. */
export type WithheldNames = ReadonlyMap<string, ConfigPath>;

/** Reports whether the header of an action is withheld from interim responses and trailers. */
const isWithheld = ({ action }: HeaderAction): boolean => action !== "add";

/**
 * Returns headers that header actions remove or overwrite, by message. Conditions are ignored: interim
 * responses come before their variables are known, and a receiver may merge a trailer into the head in any
 * case.
 */
export function withheldFields(
  steps: readonly Step[],
): Readonly<Record<"request" | "response", WithheldNames>> {
  const names = { request: new Map<string, ConfigPath>(), response: new Map<string, ConfigPath>() };
  for (const step of steps) {
    const ofMessage = step.phase === "headerFilter" ? names.response : names.request;
    for (const action of headerActionsOf(step)) {
      const name = action.name.toLowerCase();
      if (isWithheld(action) && !ofMessage.has(name)) ofMessage.set(name, action.origin);
    }
  }
  return names;
}
