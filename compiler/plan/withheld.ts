import type { WithheldFields } from "../../runtime/abi/route-module.js";
import { headerActions } from "./credentials.js";
import type { HeaderAction, Step } from "./plan.js";

/** The message that header actions of a phase change. */
export const messageOf = (phase: Step["phase"]): "request" | "response" =>
  phase === "headerFilter" ? "response" : "request";

/** Reports whether the field of an action is kept back from interim responses and trailers. */
export const isWithheld = ({ action }: HeaderAction): boolean => action !== "add";

/**
 * Fields that header actions remove or overwrite, by the message that they belong to. Conditions count for nothing: interim
 * responses come before what is asked is known, and a receiver may merge a trailer into the head in any case. Undefined: none.
 */
export function withheldFields(steps: readonly Step[]): WithheldFields | undefined {
  const names = { request: new Set<string>(), response: new Set<string>() };
  for (const { phase, data } of steps) {
    const message = messageOf(phase);
    for (const action of headerActions(data))
      if (isWithheld(action)) names[message].add(action.name.toLowerCase());
  }
  const { request, response } = names;
  if (request.size + response.size === 0) return undefined;
  return {
    ...(request.size > 0 && { request: [...request].sort() }),
    ...(response.size > 0 && { response: [...response].sort() }),
  };
}
