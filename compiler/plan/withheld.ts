import type { WithheldFields } from "../../runtime/abi/route-module.js";
import { headerActions } from "./credentials.js";
import type { Step } from "./plan.js";

/**
 * Fields that header actions remove or overwrite, by the message that they belong to. Conditions count for nothing: interim
 * responses come before what is asked is known, and a receiver may merge a trailer into the head in any case. Undefined: none.
 */
export function withheldFields(steps: readonly Step[]): WithheldFields | undefined {
  const names = { request: new Set<string>(), response: new Set<string>() };
  for (const { phase, data } of steps) {
    const message = phase === "headerFilter" ? "response" : "request";
    for (const { action, name } of headerActions(data))
      if (action !== "add") names[message].add(name.toLowerCase());
  }
  const { request, response } = names;
  if (request.size + response.size === 0) return undefined;
  return {
    ...(request.size > 0 && { request: [...request].sort() }),
    ...(response.size > 0 && { response: [...response].sort() }),
  };
}
