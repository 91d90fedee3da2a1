import type { RouterRow } from "../../runtime/abi/generation.js";
import { conditionsOf, type RouteCondition } from "./condition-parts.js";
import { disabledRows } from "./disabled-rows.js";
import type { Running, Tried } from "./which-route-report.js";

/** Candidates of a request that are examined one by one. */
export interface ExaminedCandidates {
  /** Candidates that only their `vars` exclude. */
  conditions: RouteCondition[];
  /** Routes that are not among them, since they are disabled. */
  disabled: RouterRow[];
}

export const examinedCandidates = (
  candidates: Tried["candidates"],
  { state, inventory }: Pick<Running, "state" | "inventory">,
): ExaminedCandidates => ({
  conditions: conditionsOf(candidates, state),
  disabled: disabledRows(inventory),
});
