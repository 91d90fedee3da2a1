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
export const PLACED = { address: TEXT, place: { ...TEXT, description: '"shop.yaml:31:9", or "store".' } };
const CANDIDATE = objectOf({
  ...{ id: TEXT, name: TEXT_OR_NULL, ...PLACED, matches: TRUE_OR_FALSE },
  reason: { ...orNull(objectOf({ kind: TEXT, text: TEXT })), description: "Reason why it does not match." },
  failed: {
    ...listOf(objectOf({ ...PLACED, wanted: TEXT, values: listOf(FIELD) })),
    description: "Conditions of its `vars` that are not met, and the values of their variables.",
  },
});
export const ROUTE = objectOf({
  ...{ id: TEXT, ...PLACED, takes: TEXTS, decisions: TEXTS },
  phases: listOf(objectOf({ when: TEXT, sentences: TEXTS })),
});
export const PLUGIN = objectOf({
  ...{ name: TEXT, from: { enum: ["route", "service", "plugin_config", "consumer", "global"] }, ...PLACED },
  phases: listOf({ enum: ["rewrite", "access", "headerFilter", "acknowledge", "log"] }),
  ...{ disabled: TRUE_OR_FALSE, decisions: TEXTS },
  hides: {
    ...TEXTS,
    description: "The same plugin in sources of lower precedence, whose settings are ignored.",
  },
});
const NODE = objectOf({ host: TEXT, port: WHOLE_NUMBER, weight: NUMBER, priority: NUMBER });
const TOLD = objectOf({
  generation: WHOLE_NUMBER,
  request: objectOf({ method: TEXT, host: TEXT, url: TEXT, target: TEXT, remote_addr: TEXT }),
  refused: orNull(objectOf({ status: WHOLE_NUMBER, reason: TEXT })),
  matched: { ...TEXT_OR_NULL, description: "Id of the matched route." },
  candidates: listOf(CANDIDATE),
  more: { ...WHOLE_NUMBER, description: "Number of routes that are omitted from the candidates." },
  route: orNull(ROUTE),
  plugins: listOf(PLUGIN),
  upstream: orNull(objectOf({ key: TEXT, type: TEXT, scheme: TEXT, nodes: listOf(NODE) })),
  live: { ...TRUE_OR_FALSE, description: "True: the request was sent to real nodes of the upstream." },
  asked: listOf(
    objectOf({
      ...{ node: TEXT, status: { type: ["integer", "null"] } },
      error: { ...TEXT_OR_NULL, description: "Reason why it sent no response." },
      ms: NUMBER,
    }),
  ),
  upstream_request: orNull(objectOf({ method: TEXT, target: TEXT, ...MESSAGE })),
  response: orNull(objectOf({ status: WHOLE_NUMBER, ...MESSAGE })),
  logs: listOf(objectOf({ plugin: TEXT, key: TEXT_OR_NULL, record: {} })),
  faults: TEXTS,
});

export const WHICH_ROUTE: AdminOperation = {
  method: "POST",
  path: "which_route",
  name: "askWhichRoute",
  summary: "Simulate a request on the running configuration",
  description: "Changes nothing: a viewer key suffices.",
  onlyAsks: true,
  mostBytes: LARGEST_QUESTION,
  body: {
    description: "The request and the response of its upstream, at most 256 kB.",
    content: { "application/json": component("which-route") },
    required: true,
  },
  answers: {
    200: answered(
      "the matched route and the reason, the messages to upstream and client, and the log records",
      TOLD,
    ),
    400: answered("invalid request body", component("Refusal")),
  },
  answer: (parts, { bodyText }) =>
    compiled(parts, (compiler) => whichRoute(parts.whichRoute, compiler, bodyText)),
};

export const WHICH_ROUTE_LIVE: AdminOperation = {
  method: "POST",
  path: "which_route/live",
  name: "askWhichRouteLive",
  summary: "Send a request to a real node of the upstream, through the running configuration",
  description:
    "Requires an admin key, because the upstream executes the request. At most 1 MiB of the response is read, for at most 10 seconds. Nodes are chosen as for the first request of a worker.",
  // The configuration does not change, but a viewer is denied.
  onlyAsks: true,
  mostBytes: LARGEST_QUESTION,
  body: {
    description: "The request, without `upstream_response`, at most 256 kB.",
    content: { "application/json": component("which-route") },
    required: true,
  },
  answers: {
    200: answered("as for which_route, with the nodes that received the request", TOLD),
    400: answered("invalid request body, or it contains upstream_response", component("Refusal")),
    403: errorResponse("a viewer key may not send requests to an upstream"),
  },
  answer(parts, { bodyText, key, address }) {
    if (key?.role === "viewer") return failure(403, "a viewer key may not send requests to an upstream");
    log("which_route_live", { address, ...(key?.name !== undefined && { key: key.name }) });
    return compiled(parts, (compiler) => whichRoute(parts.whichRoute, compiler, bodyText, true));
  },
};
