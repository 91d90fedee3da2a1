import type { ModuleCode } from "../../runtime/abi/generation.js";
import { loadedAlone } from "../5-emit/typescript.js";
import type { CompiledState } from "../compilation/state.js";
import type { Condition } from "../model/plan.js";
import { conditionWords } from "../prose/words.js";
import type { RequestResult } from "./which-route-report.js";

/** Part that is compiled separately; all of them must hold. */
interface ConditionPart {
  address: string;
  words: string;
  variables: string[];
  module: ModuleCode;
}

export interface RouteCondition {
  route: string;
  parts: ConditionPart[];
}

/** Maximum routes that are examined: each has modules to load. */
const MAX_ROUTES = 10;
const MAX_PARTS = 20;

export function conditionsOf(
  candidates: RequestResult["candidates"],
  { routes }: Pick<CompiledState, "routes">,
): RouteCondition[] {
  return candidates
    .filter(({ why }) => why === "condition")
    .slice(0, MAX_ROUTES)
    .flatMap(({ id }) => {
      const pipeline = routes.get(id)?.pipeline;
      if (!pipeline?.match) return [];
      const parts = partsOf(pipeline.match).slice(0, MAX_PARTS);
      return {
        route: id,
        parts: parts.map((part, i): ConditionPart => {
          const leaves = leavesOf(part);
          return {
            address: leaves[0]?.origin ?? pipeline.origin,
            words: conditionWords(part),
            variables: [...new Set(leaves.map(({ variable }) => variable))],
            module: loadedAlone(
              { kind: "route", id, origin: pipeline.origin, title: "", match: part, steps: [] },
              `part ${i} of route:${id}`,
            ),
          };
        }),
      };
    });
}

function partsOf(condition: Condition): Condition[] {
  return condition.kind === "and" ? condition.items.flatMap(partsOf) : [condition];
}

function leavesOf(condition: Condition): Extract<Condition, { kind: "compare" }>[] {
  if (condition.kind === "always") return [];
  return condition.kind === "compare" ? [condition] : condition.items.flatMap(leavesOf);
}
