import type { RouterRow } from "../../runtime/abi/generation.js";
import { conditionsOf, type RouteCondition } from "./condition-parts.js";
import { disabledRows } from "./disabled-rows.js";
import type { Running, Tried } from "./told.js";

/** What of the candidates of a request has to be looked at by itself. */
export interface BesideCandidates {
  /** Of those that only their `vars` keep from taking it. */
  conditions: RouteCondition[];
  /** Routes that are not among them, since they are disabled. */
  disabled: RouterRow[];
}

export const besideCandidates = (
  candidates: Tried["candidates"],
  { state, inventory }: Pick<Running, "state" | "inventory">,
): BesideCandidates => ({
  conditions: conditionsOf(candidates, state),
  disabled: disabledRows(inventory),
});
