import type { RouterRow } from "../../runtime/abi/generation.js";
import { conditionsOf, type RouteCondition } from "./condition-parts.js";
import { disabledRows } from "./disabled-rows.js";
import type { RequestResult, Running } from "./which-route-report.js";

/** Candidates of a request that are examined individually. */
export interface ExaminedCandidates {
  /** Candidates that only their `vars` exclude. */
  conditions: RouteCondition[];
  /** Routes that are no candidates because they are disabled. */
  disabled: RouterRow[];
}

export const examinedCandidates = (
  candidates: RequestResult["candidates"],
  { state, inventory }: Pick<Running, "state" | "inventory">,
): ExaminedCandidates => ({
  conditions: conditionsOf(candidates, state),
  disabled: disabledRows(inventory),
});
