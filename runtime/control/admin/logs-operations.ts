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
import { logDestinations } from "../logs/destinations.js";
import { failure, json } from "./answer.js";
import type { AdminOperation, DispatchParts } from "./operation.js";

const USER = objectOf({
  kind: { enum: ["routes", "services", "plugin_configs", "global_rules"] },
  id: TEXT,
  routes: { ...NUMBER, description: "Routes that log there because of it; 0 of a global rule." },
});

const DESTINATION = objectOf({
  id: { ...TEXT, description: "Hash of kind and settings; name of its folder among the spools." },
  kind: { ...TEXT, description: "Name of the plugin." },
  address: { ...TEXT, description: "Address that it delivers to; never a credential." },
  delivery: { enum: ["memory", "durable"] },
  used_by: { type: "array", items: USER },
  used_by_more: { ...NUMBER, description: "How many more use it." },
  waiting: objectOf({ entries: NUMBER, bytes: NUMBER, oldest_seconds: NUMBER_OR_NULL }),
  max_bytes: { ...NUMBER_OR_NULL, description: "Maximum size of its spool in bytes; null without one." },
  sent: {
    ...NUMBER,
    description: "From memory: since its workers began; from a spool: since the gateway began.",
  },
  dropped: NUMBER,
  failure: {
    ...orNull(objectOf({ message: TEXT, at: TEXT, over: TRUE_OR_FALSE })),
    description: "The last try that failed; over: a later one has succeeded.",
  },
});

/** Operations on destinations of log records. A gwc extension. */
export const LOGS_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "logs",
    name: "readLogs",
    summary: "Destinations of log records, with what waits for each, and why",
    answers: {
      200: answered(
        "the destinations; spool is the directory of those that deliver from disk, or null",
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
    summary: "Give up what waits on disk for a destination",
    description:
      "Entries that are being sent may still arrive, and those that come meanwhile stay. As gwc spool purge.",
    parameters: [
      {
        ...{ in: "path", name: "destination", description: "Its id, whole." },
        schema: { type: "string" },
      },
    ],
    answers: {
      200: answered("the entries that are gone", objectOf({ destination: TEXT, entries: NUMBER })),
      404: errorResponse("there is no spool of such a destination"),
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
