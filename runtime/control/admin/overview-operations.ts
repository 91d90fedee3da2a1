import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import {
  answered,
  component,
  type DescribedSchema,
  errorResponse,
  listOf,
  NUMBER,
  NUMBER_OR_NULL,
  objectOf,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TRUE_OR_FALSE,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { namedKind } from "./kinds.js";
import { keyOf } from "./list.js";
import { type AdminOperation, compiled } from "./operation.js";
import { overview, TIME_RANGE_PARAMETERS } from "./overview.js";
import { PLACED } from "./which-route.js";

const OBJECT: DescribedSchema = { type: "object" };

const COUNTS = listOf(NUMBER);
const LATENCIES = listOf(NUMBER_OR_NULL);
export const OVERVIEW_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  Figures: objectOf({
    ...{ requests: NUMBER, errors_4xx: NUMBER, errors_5xx: NUMBER, bytes_in: NUMBER, bytes_out: NUMBER },
    ...{ p50: NUMBER_OR_NULL, p95: NUMBER_OR_NULL, p99: NUMBER_OR_NULL },
  }),
  Series: objectOf(
    {
      from: { ...NUMBER, description: "Time of the first point, in seconds since 1970." },
      step: { ...NUMBER, description: "Duration of a point in seconds." },
      ...{ requests: COUNTS, errors_4xx: COUNTS, errors_5xx: COUNTS, bytes_in: COUNTS, bytes_out: COUNTS },
      ...{ p50: LATENCIES, p95: LATENCIES, p99: LATENCIES },
    },
    "Points of equal length, oldest first.",
  ),
  TimeRange: {
    allOf: [component("Figures")],
    ...objectOf({
      before: {
        ...orNull(component("Figures")),
        description: "Figures of the previous time span; null: unknown.",
      },
      series: component("Series"),
    }),
  },
  Reason: { ...objectOf({ code: TEXT, message: TEXT }), additionalProperties: true },
};
const RANKED = listOf({ allOf: [component("TimeRange")], ...objectOf({ id: TEXT }) });

const ATTENTION = objectOf({
  severity: { enum: ["error", "warning"] },
  ...{ kind: TEXT, text: TEXT, action: TEXT, subject: TEXT_OR_NULL, values: OBJECT },
  of: { ...WHOLE_NUMBER, description: "Number of problems of this kind; the first ten are listed." },
});

const WORKER = objectOf({
  ...{ worker: WHOLE_NUMBER, pid: WHOLE_NUMBER, generation: WHOLE_NUMBER },
  ...{ connections: NUMBER, requests: NUMBER },
  memory_bytes: { ...NUMBER_OR_NULL, description: "Resident memory; null: not reported yet." },
  loop_lag_ms: { ...NUMBER_OR_NULL, description: "99th percentile of the delays of its event loop." },
});
const FINDINGS = objectOf({
  ...{ errors: WHOLE_NUMBER, warnings: WHOLE_NUMBER, notes: WHOLE_NUMBER },
  first: listOf(
    objectOf({
      code: TEXT,
      severity: { enum: ["error", "warning", "note"] },
      ...{ message: TEXT, place: TEXT_OR_NULL },
    }),
  ),
});
const NOW = objectOf({
  generation: WHOLE_NUMBER,
  workers: listOf(WORKER),
  ...{ workers_expected: WHOLE_NUMBER, ready: TRUE_OR_FALSE, reasons: listOf(component("Reason")) },
  warnings: { ...listOf(component("Reason")), description: "Impairments while requests are served." },
  read_only: { ...TEXT_OR_NULL, description: "Reason why writes are rejected." },
  services: { type: "object", additionalProperties: { type: "object", required: ["up"] } },
  last_reload: orNull({ type: "object", required: ["ok", "at"] }),
  quarantined_routes: listOf(objectOf({ route: TEXT, stalls: WHOLE_NUMBER, remaining_ms: NUMBER })),
  store: objectOf({ bytes: NUMBER, history: objectOf({ entries: NUMBER, bytes: NUMBER }) }),
  spool: objectOf({ bytes: NUMBER, oldest_seconds: NUMBER, max_bytes: NUMBER_OR_NULL }),
  logs: objectOf({
    pending_entries: NUMBER,
    pending_bytes: NUMBER,
    dropped_entries: NUMBER,
    dropped_lately: NUMBER,
  }),
  nodes_out: listOf(objectOf({ upstream: TEXT, node: TEXT, workers: NUMBER })),
  nodes_failing: listOf(objectOf({ upstream: TEXT, node: TEXT, error: TEXT, at: TEXT })),
  certificates: listOf(objectOf({ ssl: TEXT, expires: TEXT, days: NUMBER })),
  findings: {
    ...orNull(FINDINGS),
    description: "Diagnostics of the running configuration; null: not known yet.",
  },
});

const ANSWER = objectOf({
  ...{ at: TEXT, seconds: NUMBER, counted_seconds: NUMBER, ring_bytes: NUMBER, now: NOW },
  kept: { ...TRUE_OR_FALSE, description: "False: the requested resource has no history." },
  attention: listOf(ATTENTION),
  unrouted: {
    ...objectOf({ requests: WHOLE_NUMBER, before: NUMBER_OR_NULL }),
    description: "Requests of the whole gateway without a matching route (404).",
  },
  ...{ total: component("TimeRange"), routes: RANKED, upstreams: RANKED },
});

const LINES = objectOf({
  ...{ from: { ...WHOLE_NUMBER, description: "From 1." }, to: WHOLE_NUMBER },
  ...PLACED,
});
const MODULE = objectOf({
  ...{ generation: WHOLE_NUMBER, key: component("Key"), plan: {} },
  module: orNull(objectOf({ file: TEXT, code: TEXT, lines: listOf(LINES) })),
  places: listOf(objectOf(PLACED)),
  configuration: listOf(objectOf({ ...PLACED, value: OBJECT })),
  more: { ...WHOLE_NUMBER, description: "Number of omitted resources." },
  route: {
    ...orNull(component("RouteInWords")),
    description: "Effect on a request; null if the resource is not a route.",
  },
  plugins: {
    ...listOf(component("ExecutedPlugin")),
    description: "Merged plugins of a route, in the order in which they start.",
  },
});

export const OVERVIEW_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "GET",
    path: "overview",
    name: "readOverview",
    summary: "State of the gateway, now and in the last hour",
    description:
      "GET /gw/admin/overview/events streams it each second, as server-sent events: second, stretch (figures, without points of rows), state and end.",
    parameters: TIME_RANGE_PARAMETERS,
    answers: {
      200: answered("figures, the current state, and problems that need attention", ANSWER),
      400: errorResponse("an invalid number of seconds, or an invalid name"),
    },
    answer: (parts, { query }) => overview(parts.overview, query),
  },
  {
    method: "GET",
    path: "module/{kind}/{id}",
    name: "readModule",
    summary: "Plan of a running resource, and its TypeScript line by line",
    answers: {
      200: answered("the module; null if requests are only forwarded", MODULE),
      404: errorResponse("no such resource, or it has no module"),
    },
    answer: (parts, _request, below) =>
      compiled(parts, (compiler) => moduleOf(compiler, parts.whichRoute.running()?.generation ?? 0, below)),
  },
];

/** Serves `GET /gw/admin/module/{kind}/{id}`. */
async function moduleOf(
  compiler: CompilerThread,
  generation: number,
  segments: readonly string[],
): Promise<ApiResponse> {
  const { path, kind, rest } = namedKind(segments);
  const [id, ...more] = rest;
  if (kind === undefined) return failure(404, `Unsupported resource type: ${path}`);
  if (id === undefined || more.length > 0) return failure(400, `missing ${kind.label} id`);
  const view = await compiler.moduleView(kind.segment, id);
  if (view === null)
    return failure(
      404,
      `there is no module of ${path}/${id}: it is absent or disabled, has none, or is part of a build`,
    );
  return json(200, { generation, key: keyOf({ kind: kind.segment, id }), ...view });
}
