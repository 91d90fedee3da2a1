import type { ConfigPath, HeaderAction, Step } from "../model/plan.js";
import { headerActionsOf } from "./credentials.js";

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
