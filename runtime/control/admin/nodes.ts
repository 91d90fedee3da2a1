import type { UpstreamNode, UpstreamTable } from "../../abi/generation.js";
import {
  answered,
  errorResponse,
  inQuery,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
} from "../../process/operation.js";
import { NodeMetrics } from "../node-metrics.js";
import { failure, json } from "./answer.js";
import { keyOf, type NodeHealthParts, ofKey, resolved, SOURCES } from "./healthcheck.js";
import type { AdminOperation } from "./operation.js";

/**
 * States of a node as most of the workers see it. `partly_ejected`: workers disagree. `failing`: in use
 * although the last attempt failed. `untried`: its host has received no request since the start.
 */
const STATES = [
  "healthy",
  "untried",
  "failing",
  "slow_start",
  "half_open",
  "partly_ejected",
  "ejected",
] as const;

function nodesOf(table: UpstreamTable, parts: NodeHealthParts, sums: NodeMetrics, workers: number) {
  const nodes = resolved(table, parts.environment);
  const sharing = (host: string) => nodes.filter((node) => node.host === host).length;
  return nodes.map((node) => nodeOf(node, table.key, sums, workers, sharing(node.host)));
}

type State = (typeof STATES)[number];

/** Describes a node as `NODE` says. */
function nodeOf(
  { host, port, weight, priority }: UpstreamNode,
  upstream: string,
  sums: NodeMetrics,
  all: number,
  sharing: number,
) {
  const node = `${host}:${port}`;
  const { connect, timeout, status, ejections, workers, moments, isFailing } = sums.node(upstream, node, all);
  const taken = sums.of("gw_http_latency", { upstream, node: host, type: "upstream" });
  const state = stateOf(workers);
  const isUntried = taken.count === 0 && moments === undefined && sums.used !== null;
  return {
    ...{ host, port, weight, priority, workers },
    state: state !== "healthy" ? state : isFailing ? "failing" : isUntried ? "untried" : state,
    in_flight: sums.of("gw_upstream_connections", { node, state: "busy" }).value,
    latency: { requests: taken.count, milliseconds: taken.value, nodes: sharing },
    failures: { connect, timeout, status },
    ejections,
    last_failure: moments
      ? { error: moments.error, at: new Date(moments.failedAt * 1_000).toISOString() }
      : null,
  };
}

type NodeWorkers = ReturnType<NodeMetrics["node"]>["workers"];

function stateOf({ healthy, failing, ejected, half_open, slow_start }: NodeWorkers): State {
  if (ejected === 0) {
    if (half_open === 0) return slow_start === 0 ? "healthy" : "slow_start";
    return "half_open";
  }
  return healthy + failing + slow_start + half_open > 0 ? "partly_ejected" : "ejected";
}

const NODE = objectOf({
  ...{ host: { type: "string" }, port: { type: "integer" }, weight: NUMBER, priority: NUMBER },
  state: { enum: STATES },
  workers: objectOf({
    healthy: NUMBER,
    failing: NUMBER,
    ejected: NUMBER,
    half_open: NUMBER,
    slow_start: NUMBER,
  }),
  in_flight: { ...NUMBER, description: "Busy connections to the node, of all upstreams." },
  latency: objectOf(
    { requests: NUMBER, milliseconds: NUMBER, nodes: NUMBER },
    "Requests of the upstream since the start of the gateway, and the sum of their durations. They are counted by host, together for that many nodes.",
  ),
  failures: objectOf({ connect: NUMBER, timeout: NUMBER, status: NUMBER }),
  ejections: NUMBER,
  last_failure: {
    ...orNull(objectOf({ error: TEXT, at: TEXT })),
    description: 'Reason of the last failed attempt ("ECONNREFUSED", "timeout", "status_503"), and its time.',
  },
});

/** Node states in gwc's own terms; `/v1/healthcheck` uses those of the reference. */
export const NODES: AdminOperation = {
  method: "GET",
  path: "nodes",
  name: "readNodes",
  summary: "Nodes of upstreams: state, requests in flight, latency",
  parameters: [
    inQuery("kind", "With id: only this resource.", { enum: SOURCES }),
    inQuery("id", "Id of the resource.", { type: "string" }),
    inQuery("out", "Only nodes that are neither healthy nor untried, and their upstreams.", {
      ...{ type: "boolean", default: false },
    }),
  ],
  answers: {
    200: answered("by upstream", {
      ...objectOf({
        workers: NUMBER,
        used: {
          ...orNull(listOf(TEXT)),
          description:
            "With out: keys of all upstreams with requests since the start; null: too many to list.",
        },
        upstreams: {
          type: "array",
          items: objectOf({
            ...{ kind: { enum: SOURCES }, id: { type: "string" }, nodes: { type: "array", items: NODE } },
          }),
        },
      }),
    }),
    400: errorResponse("unknown kind, or out is not a boolean"),
    404: errorResponse("the resource has no nodes"),
  },
  answer: ({ nodes }, { query: asked }) => answerOf(nodes, asked),
};

async function answerOf(parts: NodeHealthParts, asked: URLSearchParams) {
  const [kind, id, out = "false"] = [asked.get("kind"), asked.get("id"), asked.get("out") ?? undefined];
  if (!/^(?:true|false)$/.test(out)) return failure(400, "invalid argument out: should be true or false");
  const all = parts.tables();
  let tables = [...all.values()];
  if (kind !== null || id !== null) {
    const key = keyOf(kind ?? "", id ?? "");
    if (key === undefined) return failure(400, `invalid argument kind: should be ${SOURCES.join(", ")}`);
    const table = all.get(key);
    if (table === undefined) return failure(404, `${kind}/${id} has no nodes`);
    tables = [table];
  }
  const sums = new NodeMetrics(await parts.families());
  const workers = parts.workers();
  const upstreams = tables
    .map((table) => {
      const nodes = nodesOf(table, parts, sums, workers);
      return { ...ofKey(table.key), nodes: out === "true" ? nodes.filter(isOut) : nodes };
    })
    .filter(({ nodes }) => out === "false" || nodes.length > 0);
  const used = out === "true" ? sums.used : null;
  return { ...json(200, { workers, used, upstreams }), headers: { "Cache-Control": "no-store" } };
}

const isOut = ({ state }: { state: State }) => state !== "healthy" && state !== "untried";
