import {
  answered,
  component,
  type DescribedSchema,
  errorResponse,
  FIELD,
  jsonBody,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
  openObject,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";
import { type AdminOperation, type AdminRequest, compiled } from "./operation.js";

/** Maximum body size: eight fields of 4 kB, each character as an escape of six. */
const MAX_BYTES = 262_144;

const FIELDS = listOf(FIELD);

const CHANGE = openObject(
  {
    of: { enum: ["request", "response"] },
    what: { enum: ["method", "target", "host", "header", "consumer", "status", "body", "answer"] },
    name: { type: "string", description: "Name of the header, if it is one." },
    before: { ...TEXT_OR_NULL, description: "Null: absent before." },
    after: { ...TEXT_OR_NULL, description: "Null: removed." },
  },
  ["name"],
);
const STEP = objectOf({
  ...{ plugin: TEXT_OR_NULL, address: TEXT },
  place: { type: "string", description: 'Place in the configuration: "shop.yaml:31:9", or "store".' },
  us: { type: "integer", description: "Microseconds, without the time of tracing." },
  condition: { ...TEXT_OR_NULL, description: "Condition of the step; null: always." },
  changes: listOf(CHANGE),
});
const PHASE = objectOf({
  phase: { enum: ["rewrite", "access", "headerFilter", "acknowledge", "log"] },
  ...{ owner: TEXT, at_us: WHOLE_NUMBER, us: WHOLE_NUMBER, steps: listOf(STEP) },
});
const ATTEMPT = objectOf({
  ...{ upstream: TEXT, node: TEXT, status: { type: ["integer", "null"] }, reused: { type: "boolean" } },
  error: {
    ...TEXT_OR_NULL,
    description: "Reason why the node sent no response; status is then that of the local reply.",
  },
  ...{
    connect_ms: NUMBER_OR_NULL,
    head_ms: NUMBER_OR_NULL,
    ms: { type: "number" },
    body_bytes: WHOLE_NUMBER,
  },
});
const TRACE = objectOf({
  ...{ at: TEXT, worker: WHOLE_NUMBER, generation: WHOLE_NUMBER, client: TEXT },
  request: objectOf({ method: TEXT, target: TEXT, host: TEXT, protocol: TEXT, headers: FIELDS }),
  route: orNull(
    objectOf({
      ...{ id: TEXT, name: TEXT_OR_NULL, service: TEXT_OR_NULL, priority: WHOLE_NUMBER },
      ...{ hosts: listOf(TEXT), uris: listOf(TEXT), methods: listOf(TEXT) },
    }),
  ),
  phases: listOf(PHASE),
  attempts: listOf(ATTEMPT),
  upstream_request: orNull(objectOf({ method: TEXT, target: TEXT, host: TEXT, headers: FIELDS })),
  upstream_response: orNull(objectOf({ status: WHOLE_NUMBER, headers: FIELDS })),
  response: objectOf({ status: WHOLE_NUMBER, own: { type: "boolean" }, headers: FIELDS }),
  ...{ request_bytes: WHOLE_NUMBER, response_bytes: WHOLE_NUMBER, response_body_bytes: WHOLE_NUMBER },
  ...{ ms: { type: "number" }, cut: { type: "boolean" } },
});
/** Filter as it was armed: only the given fields, secrets masked. */
const MATCH: DescribedSchema = {
  type: "object",
  properties: {
    ...{ method: TEXT, host: TEXT, uri: TEXT, route_id: TEXT, client: TEXT },
    unrouted: { type: "boolean" },
    header: { type: "object", additionalProperties: TEXT },
  },
};
export const TRACE_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  TraceSummary: objectOf({
    id: TEXT,
    state: { enum: ["armed", "done", "ended"] },
    ...{ armed_until: TEXT, count: WHOLE_NUMBER, match: MATCH, caught: WHOLE_NUMBER },
  }),
  Traces: { allOf: [component("TraceSummary")], ...objectOf({ traces: listOf(TRACE) }) },
};

const NONE = errorResponse("no trace with this id, or it was removed");
const VIEWER = errorResponse("a viewer key may not read traces");

/** Denies viewers: traces show requests of clients, which no configuration does. */
const seen = ({ key }: AdminRequest, answer: () => ApiResponse): ApiResponse =>
  key?.role === "viewer" ? failure(403, "a viewer key may not read traces") : answer();

const found = (traces: object | undefined): ApiResponse =>
  traces === undefined ? failure(404, "no such trace") : json(200, traces);

export const TRACE_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "POST",
    path: "trace",
    name: "armTrace",
    summary: "Trace the next requests that match",
    description:
      "A trace stays in memory for 10 minutes after it ends. Bodies are not recorded; credentials and secrets are masked.",
    mostBytes: MAX_BYTES,
    body: jsonBody("Conditions on requests, their number, and the time limit.", component("trace")),
    answers: {
      201: answered("armed in all workers", component("Traces")),
      400: answered("invalid request body", component("Refusal")),
      409: errorResponse("four traces are already armed"),
    },
    answer: (parts, { bodyText }) =>
      compiled(parts, async (compiler) => {
        if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
        const read = await compiler.readTrace(bodyText);
        if ("errorMessage" in read) return refusal(400, read.errorMessage, read.diagnostics);
        const armed = parts.traces.arm(read.wanted);
        return armed === undefined
          ? failure(409, "too many traces are armed: disarm one, or wait")
          : json(201, armed);
      }),
  },
  {
    method: "GET",
    path: "trace",
    name: "listTraces",
    summary: "Armed and stored traces, the latest first",
    answers: {
      200: answered("the conditions of each trace", listOf(component("TraceSummary"))),
      403: VIEWER,
    },
    answer: ({ traces }, request) => seen(request, () => json(200, traces.list())),
  },
  {
    method: "GET",
    path: "trace/{id}",
    name: "readTrace",
    summary: "Requests that a trace has recorded",
    answers: {
      200: answered("its state, and the requests so far", component("Traces")),
      403: VIEWER,
      404: NONE,
    },
    answer: ({ traces }, request, [id = ""]) => seen(request, () => found(traces.of(id))),
  },
  {
    method: "DELETE",
    path: "trace/{id}",
    name: "disarmTrace",
    summary: "Stop a trace; its recorded requests stay",
    answers: { 200: answered("its current state", component("Traces")), 404: NONE },
    answer: ({ traces }, _request, [id = ""]) => found(traces.disarm(id)),
  },
];
