import { countsHighest } from "../../../runtime/abi/folded-metrics.js";
import { faultsOf, namesIn } from "./expressions.js";
import { ALL_FAMILIES, type Family } from "./families.js";

const families: Readonly<Record<string, Family>> = ALL_FAMILIES;

/** Parts of a dashboard, as Grafana imports it, that the rules read. */
export interface DashboardJson {
  uid: string;
  title: string;
  templating: { list: readonly VariableJson[] };
  panels: readonly PanelJson[];
}

interface Source {
  type: string;
  uid: string;
}

export interface VariableJson {
  name: string;
  type: string;
  query: string | { query: string };
  datasource?: Source;
  definition?: string;
  refresh?: number;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string;
}

export interface PanelJson {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: Source;
  fieldConfig?: { defaults: { unit?: string } };
  targets?: readonly TargetJson[];
}

export interface TargetJson {
  refId: string;
  datasource: Source;
  expr: string;
  legendFormat: string;
}

const SOURCE = "$" + "{datasource}";
const CHOSEN = ['job=~"$job"', 'instance=~"$instance"'];
/** Numbers of a state, which the gateway itself never adds up. */
const NOT_ADDITIVE = /_(?:info|generation)$/;

const SELECTOR = /\b(?:gw|process|nodejs)_[a-z0-9_]+(?:\{(?:[^}"]|"[^"]*")*\})?/g;
const USED = /\$(?!__)(\w+)/g;
const GROUPS = /\bby \(([^)]*)\)/g;

/** Everything that is wrong with dashboards, each fault with its place. */
export function lint(dashboards: readonly DashboardJson[]): string[] {
  return [
    ...twice(dashboards.map(({ uid }) => `uid ${uid}`)),
    ...twice(dashboards.map(({ title }) => `title ${title}`)),
    ...dashboards.flatMap((one) => faultsIn(one).map((fault) => `${one.uid}: ${fault}`)),
  ];
}

function faultsIn({ templating, panels }: DashboardJson): string[] {
  const shown = panels.filter(({ type }) => type !== "row");
  return [
    ...twice(panels.map(({ id }) => `panel id ${id}`)),
    ...variableFaults(templating.list, shown),
    ...shown.flatMap((panel) => panelFaults(panel).map((fault) => `${panel.title}: ${fault}`)),
  ];
}

const twice = (names: readonly string[]): string[] =>
  names.filter((name, at) => names.indexOf(name) < at).map((name) => `${name} is there twice`);

function variableFaults(list: readonly VariableJson[], panels: readonly PanelJson[]): string[] {
  const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const texts = [...asked, ...list.map(({ definition = "" }) => definition)];
  const used = new Set(texts.flatMap((text) => Array.from(text.matchAll(USED), ([, name = ""]) => name)));
  const [source] = list;
  const names = list.map(({ name }) => name);
  return [
    ...(source?.type === "datasource" && source.query === "prometheus" && source.name === "datasource"
      ? []
      : ["the first variable is not the Prometheus, datasource"]),
    ...["job", "instance"].filter((name) => !names.includes(name)).map((name) => `no variable ${name}`),
    ...[...used].filter((name) => !names.includes(name)).map((name) => `no variable ${name}`),
    ...names.slice(1).flatMap((name) => (used.has(name) ? [] : [`variable ${name} is not used`])),
    ...list.slice(1).flatMap((one) => choiceFaults(one).map((fault) => `variable ${one.name}: ${fault}`)),
  ];
}

function choiceFaults(one: VariableJson): string[] {
  const { type, datasource, definition = "", query, refresh, multi, includeAll, allValue } = one;
  const isWhole = multi === true && includeAll === true && allValue === ".*";
  return [
    ...(type === "query" && typeof query !== "string" && query.query === definition ? [] : ["not a query"]),
    ...(datasource?.uid === SOURCE ? [] : ["not of the chosen Prometheus"]),
    // 2: when the time range changes, so that routes that began meanwhile are there.
    ...(refresh === 2 ? [] : ["not asked for again when the time changes"]),
    ...(isWhole ? [] : ["not several, or all by .*"]),
    ...faultsOf(definition),
  ];
}

function panelFaults(panel: PanelJson): string[] {
  const { title, description = "", datasource, fieldConfig, targets = [] } = panel;
  return [
    ...(title === "" ? ["no title"] : []),
    ...(/\S.*\.$/.test(description) ? [] : ["no description"]),
    ...(datasource?.uid === SOURCE ? [] : ["not of the chosen Prometheus"]),
    ...(fieldConfig?.defaults.unit === undefined ? ["no unit"] : []),
    ...(targets.length === 0 ? ["no query"] : []),
    ...twice(targets.map(({ refId }) => `query ${refId}`)),
    ...targets.flatMap(targetFaults),
  ];
}

function targetFaults({ expr, legendFormat, datasource }: TargetJson): string[] {
  return [
    ...(datasource.uid === SOURCE ? [] : ["a query is not of the chosen Prometheus"]),
    ...faultsOf(expr),
    ...selectorFaults(expr),
    ...legendFaults(expr, legendFormat),
  ];
}

function selectorFaults(expr: string): string[] {
  const faults: string[] = [];
  // A variable may stand for several values, as a regular expression that Grafana has escaped.
  for (const [, operator, name] of expr.matchAll(/(=|!=|!~)"\$(\w+)"/g))
    faults.push(`$${name} is compared by ${operator}`);
  for (const { 0: selector, index } of expr.matchAll(SELECTOR)) {
    const [name = ""] = namesIn(selector);
    if (families[name] === undefined) continue;
    faults.push(...CHOSEN.filter((one) => !selector.includes(one)).map((one) => `${name} without ${one}`));
    const inside = /(\w+)(?: by \([^)]*\))? ?\($/.exec(expr.slice(0, index))?.[1];
    const isRated = inside === "rate" || inside === "increase";
    const isCounted = families[name]?.type !== "gauge";
    if (isCounted && !isRated) faults.push(`${name} only grows: rate() of it`);
    if (isRated && !expr.slice(index + selector.length).startsWith("[$__rate_interval]"))
      faults.push(`${name} is not rated over $__rate_interval`);
    if (inside === "sum" && (NOT_ADDITIVE.test(name) || countsHighest(name)))
      faults.push(`a sum of ${name} says nothing`);
  }
  return faults;
}

/** A legend names what tells the lines apart: labels that a query groups by, or of a series that it shows as it is. */
function legendFaults(expr: string, legend: string): string[] {
  if (legend === "") return ["no legend"];
  const lists = Array.from(expr.matchAll(GROUPS), ([, list = ""]) => list.split(", "));
  const own = namesIn(expr).flatMap((name) => families[name]?.labels ?? []);
  const known = lists.length > 0 ? lists.flat() : [...own, "instance", "job"];
  const named = Array.from(legend.matchAll(/\{\{(\w+)\}\}/g), ([, label = ""]) => label);
  return named.filter((label) => !known.includes(label)).map((label) => `its legend names ${label}`);
}
