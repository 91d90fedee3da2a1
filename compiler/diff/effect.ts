import { isDeepStrictEqual } from "node:util";
import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { readOrigin } from "../plan/config-path.js";
import type { PlannedRoute } from "../plan/parts.js";
import type { PlannedPipeline } from "../plan/plan.js";
import type { Plan } from "../plan/plan-document.js";

/** A part of a plan as far as it has an effect on traffic. */
export const effectOf = (value: unknown): unknown => arranged(value, hasEffect);

/** The same part, what has no order in one order: what is told of two parts differs only where they do. */
export const inOneOrder = <T>(value: T): T => arranged(value, () => true) as T;

type Keeps = (owner: object, name: string, member: unknown) => boolean;

/** @param at name of the member that holds the value */
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

/** Where a part stands; a plugin of a package may keep what users write under such a name. */
const isAddress = (name: string, member: unknown): boolean =>
  /^origin$|Origin$/.test(name) && typeof member === "string" && readOrigin(member) !== undefined;

/** All of what is joined in a condition is asked, whatever comes first, and a value is in a list wherever it stands there. */
const CONNECTIVES: ReadonlySet<unknown> = new Set(["and", "or", "nand", "nor"]);
const MEMBERS: ReadonlySet<string> = new Set(["items", "values"]);
/** Where requests and records may go. */
const DESTINATIONS: ReadonlySet<string> = new Set(["nodes", "brokers"]);
/** Fields of a record (`RecordField`). */
const FIELDS: ReadonlySet<string> = new Set(["record", "extra", "fields"]);
/** A value that is read where another action may have written it. */
const READS_FIELDS = /"variable":"(?:http|sent_http|upstream_http)_/;

const effectText = (item: unknown): string => canonicalJson(effectOf(item));
const nameOf = (item: unknown): string => String((item as { name: unknown }).name);

/** By what items of a list may be sorted, since their order has no effect; undefined: it has one, or nobody knows. */
function keyFor(items: readonly unknown[], at: string): ((item: unknown) => string) | undefined {
  const are = (...names: string[]) =>
    items.every((item) => typeof item === "object" && item !== null && names.every((name) => name in item));
  if (items.length < 2) return undefined;
  if (DESTINATIONS.has(at) && are("host", "port")) return effectText;
  if (FIELDS.has(at) && are("name", "value")) return nameOf;
  // Actions on header fields: those on one field stay as they are.
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

/** A plan whose parts are found by name. */
export class ComparedPlan {
  readonly plan: Plan;
  readonly routes: ReadonlyMap<string, PlannedRoute>;
  readonly #upstreams: ReadonlyMap<string, UpstreamTable>;
  /** Something tells which route, or service, a request had: their names have an effect. */
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

  /** Whether something that is sent or kept may name the route: another id is seen there. */
  tellsId({ pipeline }: PlannedRoute): boolean {
    const rules = [...this.plan.globalRules, ...(pipeline === null ? [] : [pipeline])];
    return rules.some(({ steps }) => steps.some(({ phase }) => phase === "log") || namesRoute(steps));
  }

  /** Whether a route is written as it was on the other side, at the same place among the others: what means the same is looked at no further. */
  isSame(id: string, other: ComparedPlan): boolean {
    const [own, old] = [this.routes.get(id), other.routes.get(id)];
    if (own === undefined || old === undefined || this.tellsNames !== other.tellsNames) return false;
    const { upstream } = own.row;
    return (
      isDeepStrictEqual(own, old) &&
      (upstream === null || isDeepStrictEqual(this.upstream(upstream), other.upstream(upstream)))
    );
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
      this.tellsNames || (pipeline !== null && tellsNames(pipeline))
        ? [row.name, row.serviceId, row.serviceName]
        : [];
    return canonicalJson([
      effectOf(steps),
      effectOf(resources),
      credentials ?? null,
      row.upstream === null ? null : effectOf(table),
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
