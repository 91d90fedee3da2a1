import { foldersIn } from "../../logging/spool/layout.js";
import { purge } from "../../logging/spool/summary.js";
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
import { logDestinations } from "../log-destinations.js";
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
