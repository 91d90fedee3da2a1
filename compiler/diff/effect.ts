import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { readOrigin } from "../plan/origin.js";
import type { PlannedRoute } from "../plan/parts.js";
import type { PlannedPipeline } from "../plan/plan.js";
import type { Plan } from "../plan/whole.js";

/** A part of a plan as far as it has an effect on traffic. */
export function effectOf(value: unknown): unknown {
  if (Array.isArray(value)) return sorted(value.map(effectOf));
  if (typeof value !== "object" || value === null) return value;
  const isPattern = "pattern" in value;
  const members = Object.entries(value).filter(
    ([name, member]) =>
      !isAddress(name, member) &&
      !(name === "atOnce" && typeof member === "number") &&
      !(isPattern && name === "cost"),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, effectOf(member)]));
}

/** Where a part stands; a plugin of a package may keep what users write under such a name. */
const isAddress = (name: string, member: unknown): boolean =>
  /^origin$|Origin$/.test(name) && typeof member === "string" && readOrigin(member) !== undefined;

/** Actions on headers of different names may come in any order. */
function sorted(items: unknown[]): unknown[] {
  const names = items.map((item) => {
    const { action, name } = (item ?? {}) as { action?: unknown; name?: unknown };
    return typeof action === "string" && typeof name === "string" ? name.toLowerCase() : undefined;
  });
  if (names.length < 2 || names.includes(undefined) || new Set(names).size < names.length) return items;
  return items
    .map((item, i) => ({ item, name: names[i] ?? "" }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ item }) => item);
}

/** A plan whose parts are found by name. */
export class ComparedPlan {
  readonly plan: Plan;
  readonly routes: ReadonlyMap<string, PlannedRoute>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;
  /** Something tells which route, or service, a request had: their names have an effect. */
  readonly #tellsNames: boolean;

  constructor(plan: Plan) {
    this.plan = plan;
    this.routes = new Map(plan.routes.map((route) => [route.row.id, route]));
    this.#upstreams = new Map(plan.upstreams.map((table) => [table.key, table]));
    this.#tellsNames = plan.globalRules.some(tellsNames);
  }

  upstream(key: string | null): UpstreamTable | undefined {
    return key === null ? undefined : this.#upstreams.get(key);
  }

  /** Whether something that is sent or kept may name the route: another id is seen there. */
  tellsId({ pipeline }: PlannedRoute): boolean {
    const rules = [...this.plan.globalRules, ...(pipeline === null ? [] : [pipeline])];
    return rules.some(({ steps }) => steps.some(({ phase }) => phase === "log") || namesRoute(steps));
  }

  /** Which requests the route takes, as far as its own settings say. */
  matching({ row, pipeline }: PlannedRoute): string {
    const { hosts, uris, methods, remoteAddrs, priority } = row;
    const lists = [hosts, uris, methods, remoteAddrs].map((list) => [...list].sort());
    return canonicalJson([...lists, priority, effectOf(pipeline?.match ?? null)]);
  }

  /** What it does with them. */
  actions({ row, pipeline }: PlannedRoute): string {
    const { key: _, ...table } = this.upstream(row.upstream) ?? { key: "" };
    const { steps = [], resources = [], credentials } = pipeline ?? {};
    const names =
      this.#tellsNames || (pipeline !== null && tellsNames(pipeline))
        ? [row.name, row.serviceId, row.serviceName]
        : [];
    return canonicalJson([
      effectOf(steps),
      effectOf(resources),
      credentials ?? null,
      row.upstream === null ? null : table,
      row.timeout ?? null,
      row.enableWebsocket,
      row.unavailable ?? null,
      names.map((name) => name ?? null),
    ]);
  }

  /** Effects of what every request passes, by name: "global_rules/all", "plugin_metadata/syslog". */
  shared(): Map<string, string> {
    const { globalRules, pluginMetadata = [] } = this.plan;
    const rules = globalRules.map(({ id, steps, resources = [] }): [string, string] => [
      `global_rules/${id}`,
      canonicalJson([effectOf(steps), effectOf(resources)]),
    ]);
    const metadata = pluginMetadata.map((one): [string, string] => [
      `plugin_metadata/${one.plugin}`,
      canonicalJson(effectOf(one)),
    ]);
    return new Map([...rules, ...metadata]);
  }
}

const namesRoute = (steps: PlannedPipeline["steps"]): boolean =>
  /"variable":"(?:route_id|matched_uri)"/.test(JSON.stringify(steps));

/** Loggers say it by default, others where they are told to. */
function tellsNames({ steps }: PlannedPipeline): boolean {
  return (
    steps.some(({ phase }) => phase === "log") ||
    /"variable":"(?:route_name|service_id|service_name)"/.test(JSON.stringify(steps))
  );
}
