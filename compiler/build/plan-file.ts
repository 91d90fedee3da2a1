import { decodeDeltaItems } from "../../runtime/abi/delta-decode.js";
import type { Plan } from "../plan/plan-document.js";

/** A plan as `plan.json` has it: tables of plugins stand among its parts. */
export type PlanFile = Record<string, unknown> & Pick<Plan, "routes">;

/** @param text `plan.json` of a build @throws Error where it is none */
export function parsePlanFile(text: string): PlanFile {
  const plan = JSON.parse(text) as PlanFile;
  return { ...plan, routes: decodeDeltaItems<Plan["routes"][number]>(plan.routes, ({ row }) => row.id) };
}
