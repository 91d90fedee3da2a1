import type { ModuleCode, RouterRow } from "../../runtime/abi/generation.js";
import type { Inventory } from "../3-resolve/inventory.js";
import type { RouteValue } from "../3-resolve/values.js";
import { loadedAlone } from "../5-emit/typescript.js";
import type { CompiledState } from "../compilation/state.js";
import type { Condition } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import { conditionWords } from "../prose/words.js";
import type { RequestResult, Running } from "./which-route-report.js";

/** Maximum disabled routes: each tested request carries them. */
const MOST = 2_000;

/** Rows of routes with `status: 0`, with host, path, method and client only. */
function disabledRows(inventory: Inventory): RouterRow[] {
  const routes = [...inventory.all("routes").values()] as Resource<RouteValue>[];
  return routes
    .filter(({ value }) => value.status === 0)
    .slice(0, MOST)
    .map(({ id, value }) => rowOf(String(id), value, inventory));
}

function rowOf(id: string, value: RouteValue, inventory: Inventory): RouterRow {
  const both = (one: unknown, list: unknown) =>
    [one, list].flat().filter((text): text is string => typeof text === "string");
  const own = both(value.host, value.hosts);
  const hosts = own.length > 0 ? own : both(undefined, inventory.serviceOf({ value })?.value.hosts);
  return {
    ...{ id, uris: both(value.uri, value.uris), hosts: hosts.map((host) => host.toLowerCase()) },
    ...{ methods: both(undefined, value.methods), remoteAddrs: both(value.remote_addr, value.remote_addrs) },
    ...{ priority: 0, order: 0, moduleId: null, hasMatch: false, upstream: null, enableWebsocket: false },
  };
}

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

function conditionsOf(
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
