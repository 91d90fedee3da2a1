import { isDeepStrictEqual } from "node:util";
import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import { readOrigin } from "../model/config-path.js";
import type { Plan, PlannedPipeline } from "../model/plan.js";

export const trafficEffect = (value: unknown): unknown => arranged(value, hasEffect);

/** Sorts unordered lists, so that descriptions of two parts differ only if the parts differ. */
export const inOneOrder = <T>(value: T): T => arranged(value, () => true) as T;

type Keeps = (owner: object, name: string, member: unknown) => boolean;

function arranged(value: unknown, keeps: Keeps, at = ""): unknown {
  if (Array.isArray(value))
    return sorted(
      value.map((item) => arranged(item, keeps)),
      keyFor(value, at),
    );
  if (typeof value !== "object" || value === null) return value;
  const isSet = at === "operand" || CONNECTIVES.has((value as { kind?: unknown }).kind);
  const members = Object.entries(value).filter(([name, member]) => keeps(value, name, member));
  return Object.fromEntries(
    members.map(([name, member]) => {
      const part = arranged(member, keeps, name);
      return [name, isSet && MEMBERS.has(name) && Array.isArray(part) ? sorted(part, effectText) : part];
    }),
  );
}

const hasEffect: Keeps = (owner, name, member) =>
  !isAddress(name, member) &&
  !(name === "syncBytes" && typeof member === "number") &&
  !("pattern" in owner && name === "cost");

/** The member is a config path. A plugin of a package may store user input under such a name. */
const isAddress = (name: string, member: unknown): boolean =>
  /^origin$|Origin$/.test(name) && typeof member === "string" && readOrigin(member) !== undefined;

/** Connectives whose items have no effective order, as lists of values have none. */
const CONNECTIVES: ReadonlySet<unknown> = new Set(["and", "or", "nand", "nor"]);
const MEMBERS: ReadonlySet<string> = new Set(["items", "values"]);
const DESTINATIONS: ReadonlySet<string> = new Set(["nodes", "brokers"]);
const FIELDS: ReadonlySet<string> = new Set(["record", "extra", "fields"]);
/** Value of a header that another action may have changed before. */
const READS_FIELDS = /"variable":"(?:http|sent_http|upstream_http)_/;

const effectText = (item: unknown): string => canonicalJson(trafficEffect(item));
const nameOf = (item: unknown): string => String((item as { name: unknown }).name);

/** Sort key for items; undefined if their order has or may have an effect. */
function keyFor(items: readonly unknown[], at: string): ((item: unknown) => string) | undefined {
  const are = (...names: string[]) =>
    items.every((item) => typeof item === "object" && item !== null && names.every((name) => name in item));
  if (items.length < 2) return undefined;
  if (DESTINATIONS.has(at) && are("host", "port")) return effectText;
  if (FIELDS.has(at) && are("name", "value")) return nameOf;
  // Header actions: those on the same header keep their order.
  if (!are("action", "name") || READS_FIELDS.test(JSON.stringify(items))) return undefined;
  return (item) => nameOf(item).toLowerCase();
}

function sorted(items: unknown[], key: ((item: unknown) => string) | undefined): unknown[] {
  if (key === undefined) return items;
  return items
    .map((item) => ({ item, text: key(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item);
}

export class ComparedPlan {
  readonly plan: Plan;
  readonly routes: ReadonlyMap<string, PlannedRoute>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;
  /** A global rule exposes the name of the route or service: these names have an effect. */
  readonly tellsNames: boolean;

  constructor(plan: Plan) {
    this.plan = plan;
    this.routes = new Map(plan.routes.map((route) => [route.row.id, route]));
    this.#upstreams = new Map(plan.upstreams.map((table) => [table.key, table]));
    this.tellsNames = plan.globalRules.some(tellsNames);
  }

  upstream(key: string | null): UpstreamTable | undefined {
    return key === null ? undefined : this.#upstreams.get(key);
  }

  /** A log or upstream request may contain the route's id: a new id is visible there. */
  tellsId({ pipeline }: PlannedRoute): boolean {
    const rules = [...this.plan.globalRules, ...(pipeline === null ? [] : [pipeline])];
    return rules.some(({ steps }) => steps.some(({ phase }) => phase === "log") || namesRoute(steps));
  }

  /** An unchanged route, including its order, is not compared further. */
  isSame(id: string, other: ComparedPlan): boolean {
    const [own, old] = [this.routes.get(id), other.routes.get(id)];
    if (own === undefined || old === undefined || this.tellsNames !== other.tellsNames) return false;
    const { upstream } = own.row;
    return (
      isDeepStrictEqual(own, old) &&
      (upstream === null || isDeepStrictEqual(this.upstream(upstream), other.upstream(upstream)))
    );
  }

  /** Key of the requests that the route matches, by its own settings. */
  matching({ row, pipeline }: PlannedRoute): string {
    const { hosts, uris, methods, remoteAddrs, priority } = row;
    const lists = [hosts, uris, methods, remoteAddrs].map((list) => [...list].sort());
    return canonicalJson([...lists, priority, trafficEffect(pipeline?.match ?? null)]);
  }

  actions({ row, pipeline }: PlannedRoute): string {
    const { key: _, ...table } = this.upstream(row.upstream) ?? { key: "" };
    const { steps = [], resources = [], credentials } = pipeline ?? {};
    const names =
      this.tellsNames || (pipeline !== null && tellsNames(pipeline))
        ? [row.name, row.serviceId, row.serviceName]
        : [];
    return canonicalJson([
      trafficEffect(steps),
      trafficEffect(resources),
      credentials ?? null,
      row.upstream === null ? null : trafficEffect(table),
      row.timeout ?? null,
      row.enableWebsocket,
      row.unavailable ?? null,
      names.map((name) => name ?? null),
    ]);
  }

  /** Effects by name: "global_rules/all", "plugin_metadata/syslog". */
  shared(): Map<string, string> {
    const { globalRules, pluginMetadata = [] } = this.plan;
    const rules = globalRules.map(({ id, steps, resources = [] }): [string, string] => [
      `global_rules/${id}`,
      canonicalJson([trafficEffect(steps), trafficEffect(resources)]),
    ]);
    const metadata = pluginMetadata.map((one): [string, string] => [
      `plugin_metadata/${one.plugin}`,
      canonicalJson(trafficEffect(one)),
    ]);
    return new Map([...rules, ...metadata]);
  }
}

const namesRoute = (steps: PlannedPipeline["steps"]): boolean =>
  /"variable":"(?:route_id|matched_uri)"/.test(JSON.stringify(steps));

/** Loggers expose names by default, other steps by a variable. */
function tellsNames({ steps }: PlannedPipeline): boolean {
  return (
    steps.some(({ phase }) => phase === "log") ||
    /"variable":"(?:route_name|service_id|service_name)"/.test(JSON.stringify(steps))
  );
}
