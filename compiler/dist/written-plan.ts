import { wholeItems } from "../../runtime/abi/like-lines.js";
import type { Plan } from "../plan/whole.js";

/** A plan as `plan.json` has it: tables of plugins stand among its parts. */
export type WrittenPlan = Record<string, unknown> & Pick<Plan, "routes">;

/** @param text `plan.json` of a build @throws Error where it is none */
export function writtenPlan(text: string): WrittenPlan {
  const plan = JSON.parse(text) as WrittenPlan;
  return { ...plan, routes: wholeItems<Plan["routes"][number]>(plan.routes, ({ row }) => row.id) };
}
