import { log } from "../../process/log.js";
import {
  answered,
  component,
  errorResponse,
  FIELD,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
  TEXT_OR_NULL,
  TEXTS,
  TRUE_OR_FALSE,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { failure } from "./answer.js";
import { type AdminOperation, compiled } from "./operation.js";
import { LARGEST_QUESTION, whichRoute } from "./which-route.js";

const MESSAGE = {
  headers: listOf(FIELD),
  body: TEXT,
};
/** Part of the configuration with its location. */
export const PLACED = { address: TEXT, place: { ...TEXT, description: '"shop.yaml:31:9", or "store".' } };
const CANDIDATE = objectOf({
  ...{ id: TEXT, name: TEXT_OR_NULL, ...PLACED, matches: TRUE_OR_FALSE },
  reason: { ...orNull(objectOf({ kind: TEXT, text: TEXT })), description: "Why it does not." },
  failed: {
    ...listOf(objectOf({ ...PLACED, wanted: TEXT, values: listOf(FIELD) })),
    description: "Parts of its `vars` that do not hold, and what stands in the variables that they look at.",
  },
});
export const ROUTE = objectOf({
  ...{ id: TEXT, ...PLACED, takes: TEXTS, decisions: TEXTS },
  phases: listOf(objectOf({ when: TEXT, sentences: TEXTS })),
});
/** Plugin of a route after merging. */
export const PLUGIN = objectOf({
  ...{ name: TEXT, from: { enum: ["route", "service", "plugin_config", "consumer", "global"] }, ...PLACED },
  phases: listOf({ enum: ["rewrite", "access", "headerFilter", "acknowledge", "log"] }),
  ...{ disabled: TRUE_OR_FALSE, decisions: TEXTS },
  hides: { ...TEXTS, description: "The same plugin where it weighs less: what is set there does not count." },
});
const NODE = objectOf({ host: TEXT, port: WHOLE_NUMBER, weight: NUMBER, priority: NUMBER });
const TOLD = objectOf({
  generation: WHOLE_NUMBER,
  request: objectOf({ method: TEXT, host: TEXT, url: TEXT, target: TEXT, remote_addr: TEXT }),
  refused: orNull(objectOf({ status: WHOLE_NUMBER, reason: TEXT })),
  matched: { ...TEXT_OR_NULL, description: "Id of the route that takes it." },
  candidates: listOf(CANDIDATE),
  more: { ...WHOLE_NUMBER, description: "Routes that are not among the candidates, because there are many." },
  route: orNull(ROUTE),
  plugins: listOf(PLUGIN),
  upstream: orNull(objectOf({ key: TEXT, type: TEXT, scheme: TEXT, nodes: listOf(NODE) })),
  live: { ...TRUE_OR_FALSE, description: "Real nodes of the upstream were asked." },
  asked: listOf(
    objectOf({
      ...{ node: TEXT, status: { type: ["integer", "null"] } },
      error: { ...TEXT_OR_NULL, description: "Why it answered nothing." },
      ms: NUMBER,
    }),
  ),
  upstream_request: orNull(objectOf({ method: TEXT, target: TEXT, ...MESSAGE })),
  response: orNull(objectOf({ status: WHOLE_NUMBER, ...MESSAGE })),
  logs: listOf(objectOf({ plugin: TEXT, key: TEXT_OR_NULL, record: {} })),
  faults: TEXTS,
});

/** Operation that simulates a request. A gwc extension. */
export const WHICH_ROUTE: AdminOperation = {
  method: "POST",
  path: "which_route",
  name: "askWhichRoute",
  summary: "Try a request on the running configuration without sending it",
  description: "Changes nothing: a key of role viewer may ask.",
  onlyAsks: true,
  mostBytes: LARGEST_QUESTION,
  body: {
    description: "The request, and what its upstream answers; 256 kB at the most.",
    content: { "application/json": component("which-route") },
    required: true,
  },
  answers: {
    200: answered("which route takes it and why, what upstream and client get, what is logged", TOLD),
    400: answered("it is no request", component("Refusal")),
  },
  answer: (parts, { bodyText }) =>
    compiled(parts, (compiler) => whichRoute(parts.whichRoute, compiler, bodyText)),
};

/** Operation that sends a request to a real node. */
export const WHICH_ROUTE_LIVE: AdminOperation = {
  method: "POST",
  path: "which_route/live",
  name: "askWhichRouteLive",
  summary: "Try a request, with the answer of a real node of the upstream, to which the request is sent",
  description:
    "For a key of role admin: the upstream does what the request asks for. Of the answer 1 MiB is read, for 10 seconds at the most. Nodes are chosen as for the first request of a worker.",
  // The configuration does not change, but a viewer is denied.
  onlyAsks: true,
  mostBytes: LARGEST_QUESTION,
  body: {
    description: "The request, without `upstream_response`; 256 kB at the most.",
    content: { "application/json": component("which-route") },
    required: true,
  },
  answers: {
    200: answered("as of which_route, with the nodes that were asked", TOLD),
    400: answered("it is no request, or says what the upstream answers", component("Refusal")),
    403: errorResponse("a viewer may send nothing to an upstream"),
  },
  answer(parts, { bodyText, key, address }) {
    if (key?.role === "viewer") return failure(403, "a key of role viewer may send nothing to an upstream");
    log("which_route_live", { address, ...(key?.name !== undefined && { key: key.name }) });
    return compiled(parts, (compiler) => whichRoute(parts.whichRoute, compiler, bodyText, true));
  },
};
