import type { MetricFamily } from "../abi/metrics.js";
import { type DeliveryFailure, type DeliveryReport, newestFailure } from "../logging/delivered.js";
import type { LogsReport } from "../process/logs-report.js";
import type { JsonObject } from "./store/store.js";

interface LogUser {
  readonly kind: "routes" | "services" | "plugin_configs" | "global_rules";
  readonly id: string;
  /** Number of routes that log there because of it; 0 for a global rule, which applies to all requests. */
  readonly routes: number;
}

/** Returns the value of a resource; undefined if only its id is known (a build). */
export type ValueOf = (kind: LogUser["kind"], id: string) => JsonObject | undefined;

/** Finds the resource that sets a module's plugin: the route, else its plugin config, else its service. */
function logUsers(moduleIds: readonly string[], plugin: string, resource: ValueOf): LogUser[] {
  const counts = new Map<string, LogUser>();
  for (const moduleId of moduleIds) {
    const [kind, id] = setIn(moduleId, plugin, resource);
    const key = `${kind}/${id}`;
    const before = counts.get(key)?.routes ?? 0;
    counts.set(key, { kind, id, routes: kind === "global_rules" ? 0 : before + 1 });
  }
  return [...counts.values()].sort((a, b) => b.routes - a.routes || (a.id < b.id ? -1 : 1));
}

function setIn(moduleId: string, plugin: string, resource: ValueOf): [kind: LogUser["kind"], id: string] {
  const at = moduleId.indexOf(":");
  const id = moduleId.slice(at + 1);
  if (moduleId.slice(0, at) === "global_rule") return ["global_rules", id];
  const route = resource("routes", id);
  if (route === undefined || has(route, plugin)) return ["routes", id];
  for (const [field, kind] of [
    ["plugin_config_id", "plugin_configs"],
    ["service_id", "services"],
  ] as const) {
    const named = route[field];
    if (named !== undefined && has(resource(kind, String(named)), plugin)) return [kind, String(named)];
  }
  return ["routes", id];
}

const has = (value: JsonObject | undefined, plugin: string): boolean =>
  Object.hasOwn((value?.["plugins"] ?? {}) as object, plugin);

export interface LogDestination {
  id: string;
  kind: string;
  address: string;
  delivery: "memory" | "durable";
  /** Resources that configure it, most routes first. */
  used_by: LogUser[];
  used_by_more: number;
  waiting: { entries: number; bytes: number; oldest_seconds: number | null };
  /** Maximum size on disk in bytes; null if there is nothing on disk or the limit is unknown. */
  max_bytes: number | null;
  sent: number;
  dropped: number;
  failure: DeliveryFailure | null;
}

/** Maximum number of listed users of a destination; the rest is only counted. */
const MAX_USERS = 50;

class Spools {
  readonly #families: ReadonlyMap<string, MetricFamily>;
  /** Address ("syslog 127.0.0.1:514") by destination. */
  readonly addresses = new Map<string, string>();

  constructor(families: readonly MetricFamily[]) {
    this.#families = new Map(families.map((family) => [family.name, family]));
    for (const { labels } of this.#families.get("gw_spool_bytes")?.series ?? [])
      this.addresses.set(labels["destination"] ?? "", labels["address"] ?? "");
  }

  sum(name: string, destination: string): number {
    const series = this.#families.get(`gw_spool_${name}`)?.series ?? [];
    return series.reduce(
      (all, { labels, value }) => (labels["destination"] === destination ? all + value : all),
      0,
    );
  }
}

/** Returns a row for each destination and delivery: those of loggers, and spools without a logger. */
export function logDestinations(
  reports: readonly LogsReport[],
  families: readonly MetricFamily[],
  resource: ValueOf,
): LogDestination[] {
  const spools = new Spools(families);
  const rows = new Map<string, LogDestination>();
  for (const { outputs } of reports)
    for (const output of outputs) {
      const key = `${output.delivery} ${output.id}`;
      rows.set(key, added(rows.get(key) ?? begun(output), output));
    }
  for (const [id, text] of spools.addresses) {
    const [kind = "", ...address] = text.split(" ");
    const row =
      rows.get(`durable ${id}`) ?? begun({ id, kind, address: address.join(" "), delivery: "durable" });
    rows.set(`durable ${id}`, { ...row, ...onDisk(id, spools) });
  }
  for (const { id, failure } of reports.flatMap(({ shipped }) => shipped)) {
    const row = rows.get(`durable ${id}`);
    if (row) row.failure = newestFailure(row.failure ?? undefined, failure) ?? null;
  }
  const units = reports.find(({ users }) => users !== undefined)?.users ?? {};
  return [...rows]
    .map(([key, row]) => {
      const users = logUsers(units[key] ?? [], row.kind, resource);
      return {
        ...row,
        used_by: users.slice(0, MAX_USERS),
        used_by_more: Math.max(0, users.length - MAX_USERS),
      };
    })
    .filter(({ used_by, waiting, delivery }) => delivery === "memory" || used_by.length + waiting.bytes > 0)
    .sort((a, b) =>
      `${a.kind} ${a.address} ${a.delivery}` < `${b.kind} ${b.address} ${b.delivery}` ? -1 : 1,
    );
}

type Output = Pick<DeliveryReport, "id" | "kind" | "address" | "delivery">;
const begun = ({ id, kind, address, delivery }: Output): LogDestination => ({
  ...{ id, kind, address, delivery, used_by: [], used_by_more: 0 },
  waiting: { entries: 0, bytes: 0, oldest_seconds: null },
  ...{ max_bytes: null, sent: 0, dropped: 0, failure: null },
});

function added(row: LogDestination, output: DeliveryReport): LogDestination {
  const { waiting } = row;
  const waits = [
    waiting.oldest_seconds ?? [],
    output.oldestMs === undefined ? [] : output.oldestMs / 1_000,
  ].flat();
  return {
    ...row,
    waiting: {
      entries: waiting.entries + output.entries,
      bytes: waiting.bytes + output.bytes,
      oldest_seconds: waits.length === 0 ? null : Math.max(...waits),
    },
    sent: row.sent + output.sent,
    dropped: row.dropped + output.dropped,
    failure: newestFailure(row.failure ?? undefined, output.failure) ?? null,
  };
}

function onDisk(
  id: string,
  spools: Spools,
): Pick<LogDestination, "waiting" | "max_bytes" | "sent" | "dropped"> {
  const bytes = spools.sum("bytes", id);
  return {
    waiting: {
      entries: spools.sum("entries", id),
      bytes,
      oldest_seconds: bytes === 0 ? null : spools.sum("oldest_seconds", id),
    },
    max_bytes: spools.sum("max_bytes", id) || null,
    sent: spools.sum("entries_shipped_total", id),
    dropped: spools.sum("entries_dropped_total", id),
  };
}
