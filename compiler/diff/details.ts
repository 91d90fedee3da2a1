import { canonicalJson } from "../../runtime/abi/hash.js";
import { flattened } from "../../runtime/abi/json-object.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import { planOf } from "../model/plan.js";
import { prose } from "../prose/prose.js";
import { CREDENTIAL } from "../variables/credential-text.js";
import { type ComparedPlan, inOneOrder, trafficEffect } from "./effect.js";

export interface Details {
  removed: string[];
  added: string[];
}

/** Path prefix of steps and shared resources, whose lists are not written by anybody. */
const LISTED = /^\[\d+\]\[\d+\]\.(?:data\.)?/;
/** Limit of settings that are listed if no sentence describes the change. */
const MAX_FIELDS = 8;

/** Returns one fact on each line. */
export function matchingLines({ row, pipeline }: PlannedRoute): string[] {
  const [takes = ""] = describe({ row, pipeline, origin: "" }).takes;
  return [masked(takes), ...(row.priority === 0 ? [] : [`Its priority is ${row.priority}.`])];
}

/** Leaves out the defaults of upstreams. */
export function outlineOf(route: PlannedRoute, plan: ComparedPlan): string[] {
  const described = describe(route);
  return [...described.takes.slice(1), ...nodeLines(route, plan), ...sentencesOf(described)].map(masked);
}

function actionLines(route: PlannedRoute, plan: ComparedPlan): string[] {
  const { row } = route;
  const described = describe(route);
  const { key: _key, nodes: _nodes, ...settings } = plan.upstream(row.upstream) ?? { key: "", nodes: [] };
  return [
    ...described.takes.slice(1),
    ...nodeLines(route, plan),
    ...flattened(settings).map(([path, value]) => `upstream ${path}: ${value}`),
    ...flattened(row.timeout ?? {}).map(([path, value]) => `timeout of the route ${path}: ${value}`),
    ...(row.enableWebsocket ? ["upgrades to WebSocket are let through"] : []),
    ...sentencesOf(described),
  ];
}

function nodeLines({ row }: PlannedRoute, plan: ComparedPlan): string[] {
  const table = plan.upstream(row.upstream);
  if (table === undefined) return [];
  const nodes = inOneOrder(table).nodes.map(
    ({ host, port, weight }) => `${host}:${port}${weight === 1 ? "" : ` weight ${weight}`}`,
  );
  return [`upstream nodes: ${nodes.join(", ") || "none"}`];
}

const sentencesOf = ({ phases }: Pick<ReturnType<typeof describe>, "phases">): string[] =>
  phases.flatMap(({ when, sentences }) => sentences.map((sentence) => `${when}: ${sentence}`));

/** Describes changes as sentences; plugins whose sentences do not differ are described by names of settings. */
export function actionDetails(
  before: PlannedRoute,
  after: PlannedRoute,
  old: ComparedPlan,
  fresh: ComparedPlan,
): Details {
  const { removed, added } = detailsOf(actionLines(before, old), actionLines(after, fresh));
  const silent = pluginsOf(before, after).flatMap((plugin) => {
    const [a, b] = [partOf(before, plugin), partOf(after, plugin)];
    const isSaid = [...removed, ...added].some((line) => line.includes(`: ${plugin} `));
    return isSaid || canonicalJson(a) === canonicalJson(b) ? [] : fieldDetails(a, b, `${plugin} `).added;
  });
  return { removed: removed.map(masked), added: [...added.map(masked), ...silent] };
}

const pluginsOf = (...routes: readonly PlannedRoute[]): string[] => [
  ...new Set(routes.flatMap(({ pipeline }) => (pipeline?.steps ?? []).map(({ plugin }) => plugin))),
];

const partOf = ({ pipeline }: PlannedRoute, name: string): unknown =>
  trafficEffect([
    (pipeline?.steps ?? []).filter(({ plugin }) => plugin === name),
    (pipeline?.resources ?? []).filter(({ plugin }) => plugin === name),
  ]);

function describe(route: PlannedRoute) {
  const [file] = prose.emit(planOf({ routes: [inOneOrder(route)] }));
  return file?.route ?? { takes: [], phases: [] };
}

/** Masks quoted texts of a line that names a credential. */
const masked = (line: string): string =>
  CREDENTIAL.test(line) ? line.replace(/"(?:[^"\\]|\\.)*"/g, '"…"') : line;

export function detailsOf(before: readonly string[], after: readonly string[]): Details {
  return {
    removed: before.filter((line) => !after.includes(line)),
    added: after.filter((line) => !before.includes(line)),
  };
}

/** Settings that differ without a sentence about them. Values may be secrets and are left out. */
export function fieldDetails(before: unknown, after: unknown, prefix = ""): Details {
  const [old, fresh] = [new Map(flattened(trafficEffect(before))), new Map(flattened(trafficEffect(after)))];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])].filter(
    (path) => old.get(path) !== fresh.get(path),
  );
  const shown = paths
    .slice(0, MAX_FIELDS)
    .map((path) => `another value of ${prefix}${path.replace(LISTED, "")}`);
  return {
    removed: [],
    added: paths.length > MAX_FIELDS ? [...shown, `and ${paths.length - MAX_FIELDS} more`] : shown,
  };
}
