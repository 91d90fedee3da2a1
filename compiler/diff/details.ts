import { flattened } from "../../runtime/abi/flattened.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { CREDENTIAL } from "../diagnostics/credential-text.js";
import type { PlannedRoute } from "../plan/parts.js";
import { planOf } from "../plan/plan-document.js";
import { prose } from "../prose/prose.js";
import { type ComparedPlan, effectOf, inOneOrder } from "./effect.js";

/** What a part says of itself before and not after, and the other way round. */
export interface Details {
  removed: string[];
  added: string[];
}

/** Steps and what they keep open stand in lists that nobody has written. */
const LISTED = /^\[\d+\]\[\d+\]\.(?:data\.)?/;
/** Fields of settings that are shown when sentences say nothing. */
const MAX_FIELDS = 8;

/** Which requests a route takes, a fact a line. */
export function matchingLines({ row, pipeline }: PlannedRoute): string[] {
  const [takes = ""] = describe({ row, pipeline, origin: "" }).takes;
  return [masked(takes), ...(row.priority === 0 ? [] : [`Its priority is ${row.priority}.`])];
}

/** Where a route's requests go and what is done with them, without what an upstream has by default. */
export function outlineOf(route: PlannedRoute, plan: ComparedPlan): string[] {
  const described = describe(route);
  return [...described.takes.slice(1), ...nodeLines(route, plan), ...sentencesOf(described)].map(masked);
}

/** What a route does with them, to the last setting. */
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

/** What a route does otherwise: in sentences, and where these say nothing by the names of the settings. */
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
  effectOf([
    (pipeline?.steps ?? []).filter(({ plugin }) => plugin === name),
    (pipeline?.resources ?? []).filter(({ plugin }) => plugin === name),
  ]);

function describe(route: PlannedRoute) {
  const [file] = prose.emit(planOf({ routes: [inOneOrder(route)] }));
  return file?.route ?? { takes: [], phases: [] };
}

/** Texts in quotes of a line that names a credential. */
const masked = (line: string): string =>
  CREDENTIAL.test(line) ? line.replace(/"(?:[^"\\]|\\.)*"/g, '"…"') : line;

/** Lines of one that the other has not. */
export function detailsOf(before: readonly string[], after: readonly string[]): Details {
  return {
    removed: before.filter((line) => !after.includes(line)),
    added: after.filter((line) => !before.includes(line)),
  };
}

/** Where settings differ that no sentence tells of: paths without values, since those may be secrets. */
export function fieldDetails(before: unknown, after: unknown, prefix = ""): Details {
  const [old, fresh] = [new Map(flattened(effectOf(before))), new Map(flattened(effectOf(after)))];
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
