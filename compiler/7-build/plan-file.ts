import { decodeDeltaItems } from "../../runtime/abi/delta-decode.js";
import type { Plan } from "../model/plan-document.js";

/** Plan as in `plan.json`: tables of plugins are top-level fields. */
export type PlanFile = Record<string, unknown> & Pick<Plan, "routes">;

/** @param text `plan.json` of a build @throws Error if it is not JSON */
export function parsePlanFile(text: string): PlanFile {
  const plan = JSON.parse(text) as PlanFile;
  return { ...plan, routes: decodeDeltaItems<Plan["routes"][number]>(plan.routes, ({ row }) => row.id) };
}
