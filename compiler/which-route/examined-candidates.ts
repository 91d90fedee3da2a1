import type { RouterRow } from "../../runtime/abi/generation.js";
import { conditionsOf, type RouteCondition } from "./condition-parts.js";
import { disabledRows } from "./disabled-rows.js";
import type { RequestResult, Running } from "./which-route-report.js";

export interface ExaminedCandidates {
  conditions: RouteCondition[];
  disabled: RouterRow[];
}

export const examinedCandidates = (
  candidates: RequestResult["candidates"],
  { state, inventory }: Pick<Running, "state" | "inventory">,
): ExaminedCandidates => ({
  conditions: conditionsOf(candidates, state),
  disabled: disabledRows(inventory),
});
