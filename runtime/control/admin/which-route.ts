import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import type { RequestResult } from "../../../compiler/which-route/which-route-report.js";
import { log } from "../../process/log.js";
import {
  answered,
  component,
  type DescribedSchema,
  errorResponse,
  FIELD,
  jsonBody,
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
import { type ApiResponse, failure, json, refusal } from "./answer.js";
import { type AdminOperation, compiled, type WhichRouteParts } from "./operation.js";

/** Maximum body size: 64 kB of request and the upstream response; the compiler parses both. */
const LARGEST_QUESTION = 262_144;
/** Maximum number of runs, each repeated because a write changed the generation in the meantime. */
const TURNS = 3;

/** Serves `POST /gw/admin/which_route`; only `live` sends the request. Changes nothing, so a viewer may ask. */
export async function whichRoute(
  parts: WhichRouteParts,
  compiler: CompilerThread,
  bodyText: string,
  live = false,
): Promise<ApiResponse> {
  if (bodyText.trim() === "") return failure(400, "invalid request body: empty request body");
  const { places } = parts.runner;
  // Limits the number before the compiler parses the body, as it also has writes to compile.
  return (await places.run(() => tried(parts, compiler, { bodyText, live }))) ?? failure(503, places.taken);
}

async function tried(
  { runner, running }: WhichRouteParts,
  compiler: CompilerThread,
  { bodyText, live }: { bodyText: string; live: boolean },
): Promise<ApiResponse> {
  const read = await compiler.readRequest(bodyText);
  if ("errorMessage" in read) return refusal(400, read.errorMessage, read.diagnostics);
  if (live && read.hasStub)
    return failure(
      400,
      'invalid request body: "upstream_response" is only for a simulation without an upstream',
    );
  const { asked, credentials } = read;
  /** Adds the failed conditions of candidates, unless the generation has changed meanwhile. */
  async function weighed(before: RequestResult): Promise<RequestResult> {
    const beside = await compiler.examinedCandidates(before.candidates);
    const now = running();
    const isNothing = beside.conditions.length + beside.disabled.length === 0 || before.refused !== null;
    if (isNothing || now?.generation !== before.generation) return before;
    const again = await runner.run({
      ...now,
      asked,
      live: false,
      credentials,
      weigh: { tried: before, beside },
    });
    return "fault" in again ? before : again.tried;
  }
  for (let turn = 1; ; turn += 1) {
    const now = running();
    if (now === undefined) return failure(503, "no generation is running yet");
    const outcome = await runner.run({ ...now, asked, live, credentials });
    const isCurrent = running()?.generation === now.generation;
    // A live request is not sent twice.
    if (!live && !isCurrent && turn < TURNS) continue;
    if ("fault" in outcome) return failure(503, `the request cannot be simulated: ${outcome.fault}`);
    return json(200, await compiler.whichRouteReport(await weighed(outcome.tried)));
  }
}

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
export const WHICH_ROUTE_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  RouteInWords: objectOf({
    ...{ id: TEXT, ...PLACED, takes: TEXTS, decisions: TEXTS },
    phases: listOf(objectOf({ when: TEXT, sentences: TEXTS })),
  }),
  ExecutedPlugin: objectOf({
    ...{ name: TEXT, from: { enum: ["route", "service", "plugin_config", "consumer", "global"] }, ...PLACED },
    phases: listOf({ enum: ["rewrite", "access", "headerFilter", "acknowledge", "log"] }),
    ...{ disabled: TRUE_OR_FALSE, decisions: TEXTS },
    hides: {
      ...TEXTS,
      description: "The same plugin in sources of lower precedence, whose settings are ignored.",
    },
  }),
};
const NODE = objectOf({ host: TEXT, port: WHOLE_NUMBER, weight: NUMBER, priority: NUMBER });
const TOLD = objectOf({
  generation: WHOLE_NUMBER,
  request: objectOf({ method: TEXT, host: TEXT, url: TEXT, target: TEXT, remote_addr: TEXT }),
  refused: orNull(objectOf({ status: WHOLE_NUMBER, reason: TEXT })),
  matched: { ...TEXT_OR_NULL, description: "Id of the matched route." },
  candidates: listOf(CANDIDATE),
  more: { ...WHOLE_NUMBER, description: "Number of routes that are omitted from the candidates." },
  route: orNull(component("RouteInWords")),
  plugins: listOf(component("ExecutedPlugin")),
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
  body: jsonBody("The request and the response of its upstream, at most 256 kB.", component("which-route")),
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
  body: jsonBody("The request, without `upstream_response`, at most 256 kB.", component("which-route")),
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
