import { canonicalJson } from "../../runtime/abi/hash.js";
import { flattened } from "../../runtime/abi/json-object.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import type { PlannedPipeline } from "../model/plan.js";
import { CREDENTIAL } from "../variables/credential-text.js";
import { actionConstraints } from "./action-constraints.js";
import type { TrafficChange } from "./change.js";
import { confirmed } from "./confirm.js";
import { type Details, fieldDetails } from "./details.js";
import type { ComparedPlan } from "./effect.js";
import { routeConstraints } from "./route-constraints.js";
import { buildSample, merged } from "./sample-constraints.js";
import type { DiffSimulator, SampleRequest } from "./simulator.js";

const ROUTES = 5;

/** Changes of global rules, plugin metadata, and data for services of plugins. */
export async function sharedChanges(
  old: ComparedPlan,
  fresh: ComparedPlan,
  trial: DiffSimulator,
): Promise<TrafficChange[]> {
  const [before, after] = [old.shared(), fresh.shared()];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const renamed = renamedRules(old, fresh);
  const changes = [...renamed].map(
    ([subject, to]): TrafficChange => ({
      ...{ kind: "shared", severity: "none", subject, to, example: null },
      details: { removed: [], added: [] },
    }),
  );
  const isRenamed = (name: string) => renamed.has(name) || [...renamed.values()].includes(name);
  for (const subject of names) {
    if (before.get(subject) === after.get(subject) || isRenamed(subject)) continue;
    const details = sharedDetails(subject, before.get(subject), after.get(subject));
    const example = await confirmed(trial, probes(subject, old, fresh));
    changes.push({ kind: "shared", severity: "changed", subject, details, example });
  }
  return [...changes, ...tableChanges(old, fresh)];
}

/** Finds new names of rules with another id, the same effect and order, by old ones. */
function renamedRules(old: ComparedPlan, fresh: ComparedPlan): Map<string, string> {
  const [before, after] = [old, fresh].map(({ plan }) =>
    plan.globalRules.map(({ id }) => `global_rules/${id}`),
  );
  const [effects, others] = [old.shared(), fresh.shared()];
  const renamed = new Map<string, string>();
  for (const name of before ?? []) {
    if (others.has(name)) continue;
    const to = after?.find(
      (other) =>
        !effects.has(other) &&
        others.get(other) === effects.get(name) &&
        ![...renamed.values()].includes(other),
    );
    if (to !== undefined) renamed.set(name, to);
  }
  const kept = before?.map((name) => renamed.get(name) ?? name).filter((name) => after?.includes(name)) ?? [];
  const stays = after?.filter((name) => kept.includes(name)).every((name, i) => name === kept[i]) === true;
  return stays ? renamed : new Map();
}

/** Settings without an effect on responses. */
const OPERATION: ReadonlySet<string> = new Set([
  "workers",
  "drain",
  "access_log",
  "status",
  "data_encryption",
]);

/** Returns two changes: settings with an effect on traffic, and the others. Neither has an example. */
export function settingsChanges(before: unknown, after: unknown): TrafficChange[] {
  const [old, fresh] = [new Map(flattened(gatewayPart(before))), new Map(flattened(gatewayPart(after)))];
  const kindOf = (path: string) => (OPERATION.has(path.replace(/[.[].*/s, "")) ? "operation" : "settings");
  const line = (path: string, value: string) => `gw.${path}: ${CREDENTIAL.test(path) ? "…" : value}`;
  const change = (kind: "settings" | "operation"): TrafficChange[] => {
    const lines = (all: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>) =>
      [...all]
        .filter(([path, value]) => path !== "" && kindOf(path) === kind && other.get(path) !== value)
        .map(([path, value]) => line(path, value));
    const details = { removed: lines(old, fresh), added: lines(fresh, old) };
    if (details.removed.length === 0 && details.added.length === 0) return [];
    const severity = kind === "settings" ? "changed" : "none";
    return [{ kind, severity, subject: "gw", details, example: null }];
  };
  return [...change("settings"), ...change("operation")];
}

const gatewayPart = (deployment: unknown) => (deployment as { gw?: unknown } | null)?.gw ?? {};

function sharedDetails(subject: string, before: string | undefined, after: string | undefined): Details {
  if (before === undefined) return { removed: [], added: [`${subject} is new`] };
  if (after === undefined) return { removed: [`${subject} is gone`], added: [] };
  return fieldDetails(JSON.parse(before), JSON.parse(after));
}

function* probes(subject: string, old: ComparedPlan, fresh: ComparedPlan): Generator<SampleRequest> {
  const rule = ({ plan }: ComparedPlan): PlannedPipeline | null =>
    plan.globalRules.find(({ id }) => `global_rules/${id}` === subject) ?? null;
  const variations = actionConstraints(rule(old), rule(fresh));
  const requests = routesToTry(old, fresh)
    .slice(0, ROUTES)
    .flatMap((route) => routeConstraints(route).slice(0, 1));
  for (const request of [...requests, {}])
    for (const facts of variations) {
      yield buildSample(merged(request, facts));
      yield buildSample(merged(facts, request));
    }
}

/** Puts routes without changes of their own first: they show only the shared change. */
function routesToTry(old: ComparedPlan, fresh: ComparedPlan): PlannedRoute[] {
  const isSame = (route: PlannedRoute) => {
    const before = old.routes.get(route.row.id);
    return before !== undefined && old.actions(before) === fresh.actions(route);
  };
  const all = [...fresh.routes.values()];
  const same: PlannedRoute[] = [];
  for (const route of all) if (same.length < ROUTES && isSame(route)) same.push(route);
  return [...same, ...all, ...old.routes.values()];
}

/** Data for services of plugins, including certificates, may be secret: only paths are reported. */
function tableChanges(old: ComparedPlan, fresh: ComparedPlan): TrafficChange[] {
  const [before, after] = [old.plan.tables ?? {}, fresh.plan.tables ?? {}];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((plugin): TrafficChange[] => {
      const [a, b] = [before[plugin] ?? {}, after[plugin] ?? {}];
      if (canonicalJson(a) === canonicalJson(b)) return [];
      const details = fieldDetails(a, b);
      return [{ kind: "shared", severity: "changed", subject: plugin, details, example: null }];
    });
}
