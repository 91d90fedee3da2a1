import type { UpstreamNode, UpstreamTable } from "../../abi/generation.js";
import type { MetricFamily } from "../../abi/metrics.js";
import {
  answered,
  component,
  type DescribedOperation,
  type DescribedSchema,
  errorResponse,
  listOf,
  objectOf,
  TEXT,
  WHOLE_NUMBER,
} from "../../process/operation.js";
import { type Environment, resolvedTable } from "../../proxy/host/load.js";
import { NodeMetrics } from "../node-metrics.js";
import { type ApiResponse, failure, json } from "./answer.js";

export interface NodeHealthParts {
  tables: () => ReadonlyMap<string, UpstreamTable>;
  families: () => Promise<readonly MetricFamily[]>;
  workers: () => number;
  environment: Environment;
}

export const HEALTHCHECK = "/v1/healthcheck";

/** Prefix of the table keys of each source; an upstream resource has none. */
const PREFIXES: Readonly<Record<string, string>> = { routes: "route:", services: "service:", upstreams: "" };
export const SOURCES = Object.keys(PREFIXES);

/** Returns the key of the table of a resource; undefined if its kind has no nodes. */
export const keyOf = (source: string, id: string): string | undefined =>
  Object.hasOwn(PREFIXES, source) ? `${PREFIXES[source]}${id}` : undefined;

export function ofKey(key: string): { kind: string; id: string } {
  const [kind = "", id = ""] = /^(?:route|service):/.test(key) ? splitOnce(key) : ["upstream", key];
  return { kind: `${kind}s`, id };
}

/** Serves `GET /v1/healthcheck` and `/v1/healthcheck/{routes|services|upstreams}/{id}` (reference 1.11). */
export async function healthcheck(
  parts: NodeHealthParts,
  [source, id, ...more]: readonly string[],
): Promise<ApiResponse> {
  const { tables, environment } = parts;
  const told = async (asked: readonly UpstreamTable[]) => {
    const metrics = new NodeMetrics(await parts.families());
    return asked.map((table) => checked(table, environment, metrics, parts.workers()));
  };
  if (source === undefined) return json(200, await told([...tables().values()]));
  const wanted = keyOf(source, id ?? "");
  if (wanted === undefined) return failure(400, `invalid src type ${source}`);
  const table = id === undefined || more.length > 0 ? undefined : tables().get(wanted);
  if (table === undefined) return failure(404, `no checker for ${source}[${id ?? ""}]`);
  return json(200, (await told([table]))[0]);
}

function checked(
  table: UpstreamTable,
  environment: Environment,
  metrics: NodeMetrics,
  workers: number,
): object {
  const { kind, id } = ofKey(table.key);
  const nodes = resolved(table, environment).map((node) => stateOf(node, table.key, metrics, workers));
  return { name: `/gw/${kind}/${id}`, type: "http", nodes };
}

/** Returns the nodes with variables resolved, as workers name them. */
export function resolved(table: UpstreamTable, environment: Environment): UpstreamNode[] {
  try {
    return resolvedTable(table, environment).nodes;
  } catch {
    return table.nodes;
  }
}

function splitOnce(key: string): [kind: string, id: string] {
  const at = key.indexOf(":");
  return [key.slice(0, at), key.slice(at + 1)];
}

function stateOf(
  { host, port, weight, priority }: UpstreamNode,
  upstream: string,
  metrics: NodeMetrics,
  all: number,
): object {
  const { connect, timeout, status, ejections, workers, isFailing } = metrics.node(
    upstream,
    `${host}:${port}`,
    all,
  );
  const { healthy, failing, ejected, half_open, slow_start } = workers;
  return {
    ...{ ip: host, hostname: host, port, weight, priority },
    status: statusOf({ out: ejected + half_open, failing, well: healthy + slow_start, isFailing }),
    counter: { tcp_failure: connect, timeout_failure: timeout, http_failure: status },
    ...{ ejections, workers },
  };
}

/** Statuses of the reference, and `failing`: the last attempt failed, but it is the last node in use. */
const STATUSES = ["healthy", "failing", "unhealthy", "mostly_unhealthy", "mostly_healthy"] as const;

/** Numbers of workers by the state that they see; workers may disagree. */
interface Seen {
  out: number;
  failing: number;
  well: number;
  /** Result of the latest attempt of all workers; `well` also counts workers that have not tried the node. */
  isFailing: boolean;
}

function statusOf({ out, failing, well, isFailing }: Seen): (typeof STATUSES)[number] {
  if (out === 0) return isFailing ? "failing" : "healthy";
  if (failing + well === 0) return "unhealthy";
  if (well === 0) return "failing";
  return out + failing > well ? "mostly_unhealthy" : "mostly_healthy";
}

const COUNT: DescribedSchema = { type: "number", minimum: 0 };
const counts = (...names: string[]): DescribedSchema =>
  objectOf(Object.fromEntries(names.map((name) => [name, COUNT])));

export const HEALTH_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  NodesChecked: objectOf({
    name: { type: "string", description: 'Resource of the nodes: "/gw/upstreams/shop".' },
    type: { const: "http" },
    nodes: listOf(component("NodeChecked")),
  }),
  NodeChecked: objectOf({
    ip: { type: "string", description: "Host as configured." },
    ...{ hostname: TEXT, port: WHOLE_NUMBER, weight: WHOLE_NUMBER, priority: WHOLE_NUMBER },
    status: {
      enum: STATUSES,
      description:
        "failing: in use, and the last attempt failed. If workers differ, the state in most of them.",
    },
    counter: counts("tcp_failure", "timeout_failure", "http_failure"),
    ejections: COUNT,
    workers: counts("healthy", "failing", "ejected", "half_open", "slow_start"),
  }),
};

const PATH = HEALTHCHECK.slice(1);

/** Operations of `healthcheck`, with paths from the root of the port. */
export const HEALTHCHECK_OPERATIONS: readonly DescribedOperation[] = [
  {
    method: "GET",
    path: PATH,
    name: "readHealth",
    summary: "State of all nodes",
    answers: {
      200: answered("one entry for each upstream", { type: "array", items: component("NodesChecked") }),
    },
  },
  {
    method: "GET",
    path: `${PATH}/{source}/{id}`,
    name: "readHealthOf",
    summary: "State of the nodes of one resource",
    parameters: [
      {
        in: "path",
        name: "source",
        description: "Kind of the resource that contains the upstream.",
        schema: { enum: SOURCES },
      },
    ],
    answers: {
      200: answered("its nodes", component("NodesChecked")),
      400: errorResponse("unknown kind"),
      404: errorResponse("the resource has no nodes"),
    },
  },
];
