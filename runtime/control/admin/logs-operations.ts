import type { MetricFamily } from "../../abi/metrics.js";
import { type DeliveryFailure, type DeliveryReport, newestFailure } from "../../logging/delivered.js";
import { foldersIn } from "../../logging/spool/layout.js";
import { purge } from "../../logging/spool/summary.js";
import type { LogsReport } from "../../process/logs-report.js";
import {
  answered,
  errorResponse,
  NUMBER,
  NUMBER_OR_NULL,
  objectOf,
  orNull,
  TEXT,
  TRUE_OR_FALSE,
} from "../../process/operation.js";
import { FamilySums } from "../metrics/family-sums.js";
import type { JsonObject } from "../store/store.js";
import { failure, json } from "./answer.js";
import type { AdminOperation, DispatchParts } from "./operation.js";

const USER = objectOf({
  kind: { enum: ["routes", "services", "plugin_configs", "global_rules"] },
  id: TEXT,
  routes: {
    ...NUMBER,
    description: "Number of routes that log to the destination because of it; 0 for a global rule.",
  },
});

const DESTINATION = objectOf({
  id: { ...TEXT, description: "Hash of kind and settings; name of the spool folder." },
  kind: { ...TEXT, description: "Name of the plugin." },
  address: { ...TEXT, description: "Address of the destination, without credentials." },
  delivery: { enum: ["memory", "durable"] },
  used_by: { type: "array", items: USER },
  used_by_more: { ...NUMBER, description: "Number of further users." },
  waiting: objectOf({ entries: NUMBER, bytes: NUMBER, oldest_seconds: NUMBER_OR_NULL }),
  max_bytes: { ...NUMBER_OR_NULL, description: "Maximum size of its spool in bytes; null without one." },
  sent: {
    ...NUMBER,
    description: "In memory: since the start of its workers; in a spool: since the start of the gateway.",
  },
  dropped: NUMBER,
  failure: {
    ...orNull(objectOf({ message: TEXT, at: TEXT, over: TRUE_OR_FALSE })),
    description: "The last failed delivery attempt; over: a later one succeeded.",
  },
});

export const LOGS_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "logs",
    name: "readLogs",
    summary: "Destinations of log records, with pending entries and the reason for the delay",
    answers: {
      200: answered(
        "the destinations; spool: the directory of durable delivery, or null",
        objectOf({
          at: TEXT,
          spool: orNull(objectOf({ directory: TEXT, max_bytes: NUMBER })),
          destinations: { type: "array", items: DESTINATION },
        }),
      ),
    },
    answer: async ({ logs, configuration }) => {
      const [reports, families] = await Promise.all([logs.reports(), logs.families()]);
      const { resources } = configuration;
      const destinations = logDestinations(
        reports,
        families,
        (kind, id) => resources.get(kind, id)?.value ?? resources.fromFile(kind, id)?.value,
      );
      const answer = { at: new Date().toISOString(), spool: logs.spool(), destinations };
      return { ...json(200, answer), headers: { "Cache-Control": "no-store" } };
    },
  },
  {
    method: "POST",
    path: "logs/{destination}/purge",
    name: "purgeLogs",
    summary: "Discard the pending entries on disk of a destination",
    description: "Entries in flight may still arrive, and new entries stay. Equals gwc spool purge.",
    parameters: [
      {
        ...{ in: "path", name: "destination", description: "Complete id of the destination." },
        schema: { type: "string" },
      },
    ],
    answers: {
      200: answered("the discarded entries", objectOf({ destination: TEXT, entries: NUMBER })),
      404: errorResponse("no spool of such a destination"),
    },
    answer: ({ logs }, _request, [destination = ""]) => purged(logs, destination),
  },
];

async function purged(logs: DispatchParts["logs"], destination: string) {
  const { directory } = logs.spool() ?? {};
  // Prevents path traversal: only the name of an existing folder is accepted.
  if (directory === undefined || !(await foldersIn(directory)).includes(destination))
    return failure(404, `there is no spool of a destination ${destination}`);
  return json(200, { destination, entries: await purge(directory, destination) });
}

interface LogUser {
  readonly kind: "routes" | "services" | "plugin_configs" | "global_rules";
  readonly id: string;
  /** Number of routes that log there because of it; 0 for a global rule, which applies to all requests. */
  readonly routes: number;
}

/** Returns the value of a resource; undefined if only its id is known (a build). */
type ValueOf = (kind: LogUser["kind"], id: string) => JsonObject | undefined;

/**
 * Finds the resource that sets a module's plugin: the route, else its plugin config, else its service. Those
 * with most routes come first.
 */
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

type Output = Pick<DeliveryReport, "id" | "kind" | "address" | "delivery">;

interface LogDestination extends Output {
  waiting: { entries: number; bytes: number; oldest_seconds: number | null };
  /** Maximum size on disk in bytes; null if there is nothing on disk or the limit is unknown. */
  max_bytes: number | null;
  sent: number;
  dropped: number;
  failure: DeliveryFailure | null;
}

/** Maximum number of listed users of a destination; the rest is only counted. */
const MAX_USERS = 50;

/** Returns a row for each destination and delivery: those of loggers, and spools without a logger. */
function logDestinations(
  reports: readonly LogsReport[],
  families: readonly MetricFamily[],
  resource: ValueOf,
) {
  const sums = new FamilySums(families);
  const rows = new Map<string, LogDestination>();
  for (const { outputs } of reports)
    for (const output of outputs) {
      const key = `${output.delivery} ${output.id}`;
      rows.set(key, added(rows.get(key) ?? begun(output), output));
    }
  for (const { labels } of sums.series("gw_spool_bytes")) {
    const { destination: id = "", address: text = "" } = labels;
    // "syslog 127.0.0.1:514"
    const [kind = "", ...address] = text.split(" ");
    const row =
      rows.get(`durable ${id}`) ?? begun({ id, kind, address: address.join(" "), delivery: "durable" });
    rows.set(`durable ${id}`, { ...row, ...onDisk(id, sums) });
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

const begun = ({ id, kind, address, delivery }: Output): LogDestination => ({
  ...{ id, kind, address, delivery },
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
  destination: string,
  sums: FamilySums,
): Pick<LogDestination, "waiting" | "max_bytes" | "sent" | "dropped"> {
  const sum = (name: string) => sums.of(`gw_spool_${name}`, { destination }).value;
  const bytes = sum("bytes");
  return {
    waiting: {
      entries: sum("entries"),
      bytes,
      oldest_seconds: bytes === 0 ? null : sum("oldest_seconds"),
    },
    max_bytes: sum("max_bytes") || null,
    sent: sum("entries_shipped_total"),
    dropped: sum("entries_dropped_total"),
  };
}
