import {
  answered,
  component,
  type DescribedSchema,
  errorResponse,
  FIELD,
  listOf,
  NUMBER_OR_NULL,
  objectOf,
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

const CHANGE: DescribedSchema = {
  ...{ type: "object", required: ["of", "what", "before", "after"] },
  properties: {
    of: { enum: ["request", "response"] },
    what: { enum: ["method", "target", "host", "header", "consumer", "status", "body", "answer"] },
    name: { type: "string", description: "Name of a header, where it is one." },
    before: { ...TEXT_OR_NULL, description: "Null: it was not there." },
    after: { ...TEXT_OR_NULL, description: "Null: it is gone." },
  },
};
const STEP = objectOf({
  ...{ plugin: TEXT_OR_NULL, address: TEXT },
  place: { type: "string", description: 'Place in the configuration: "shop.yaml:31:9", or "store".' },
  us: { type: "integer", description: "Microseconds, without what the trace takes." },
  condition: { ...TEXT_OR_NULL, description: "When it does something; null: always." },
  changes: listOf(CHANGE),
});
const PHASE = objectOf({
  phase: { enum: ["rewrite", "access", "headerFilter", "acknowledge", "log"] },
  ...{ owner: TEXT, at_us: WHOLE_NUMBER, us: WHOLE_NUMBER, steps: listOf(STEP) },
});
const ATTEMPT = objectOf({
  ...{ upstream: TEXT, node: TEXT, status: { type: ["integer", "null"] }, reused: { type: "boolean" } },
  error: { ...TEXT_OR_NULL, description: "Why the node answered nothing; then status is the gateway's own." },
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
const SUMMARY = {
  id: TEXT,
  state: { enum: ["armed", "done", "ended"] },
  ...{ armed_until: TEXT, count: WHOLE_NUMBER, match: MATCH, caught: WHOLE_NUMBER },
};

const NONE = errorResponse("there is no trace with this id, or it was forgotten");
const VIEWER = errorResponse("a viewer may not see the traffic of others");

/** Denies viewers: traces show requests of clients, which no configuration does. */
const seen = ({ key }: AdminRequest, answer: () => ApiResponse): ApiResponse =>
  key?.role === "viewer" ? failure(403, "traces are not shown to role viewer") : answer();

const found = (traces: object | undefined): ApiResponse =>
  traces === undefined ? failure(404, "no such trace") : json(200, traces);

/** Operations on traces, the recorded steps of live requests. */
export const TRACE_OPERATIONS: readonly AdminOperation[] = [
  {
    method: "POST",
    path: "trace",
    name: "armTrace",
    summary: "Record what becomes of the next requests that match",
    description:
      "Held in memory for 10 minutes after the last was waited for. Bodies are not recorded, credentials and secrets are masked.",
    mostBytes: MAX_BYTES,
    body: {
      description: "Conditions on requests, how many, and for how long.",
      content: { "application/json": component("trace") },
      required: true,
    },
    answers: {
      201: answered("armed in all workers", objectOf({ ...SUMMARY, traces: listOf(TRACE) })),
      400: answered("it says no such thing", component("Refusal")),
      409: errorResponse("four are armed already"),
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
    summary: "Traces that are armed or kept, the last one first",
    answers: { 200: answered("what each looks for", listOf(objectOf(SUMMARY))), 403: VIEWER },
    answer: ({ traces }, request) => seen(request, () => json(200, traces.list())),
  },
  {
    method: "GET",
    path: "trace/{id}",
    name: "readTrace",
    summary: "Requests that a trace has caught",
    answers: {
      200: answered("its state, and the requests so far", objectOf({ ...SUMMARY, traces: listOf(TRACE) })),
      403: VIEWER,
      404: NONE,
    },
    answer: ({ traces }, request, [id = ""]) => seen(request, () => found(traces.of(id))),
  },
  {
    method: "DELETE",
    path: "trace/{id}",
    name: "disarmTrace",
    summary: "Look for no more requests; what was caught is kept",
    answers: {
      200: answered("as it is now", objectOf({ ...SUMMARY, traces: listOf(TRACE) })),
      404: NONE,
    },
    answer: ({ traces }, _request, [id = ""]) => found(traces.disarm(id)),
  },
];
