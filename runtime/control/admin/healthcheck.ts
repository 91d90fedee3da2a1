import type { UpstreamNode, UpstreamTable } from "../../abi/generation.js";
import type { Labels, MetricFamily } from "../../abi/metrics.js";
import {
  answered,
  component,
  type DescribedOperation,
  type DescribedSchema,
  errorResponse,
} from "../../process/operation.js";
import { type Environment, resolvedTable } from "../../proxy/host/upstream-table.js";
import { isFailing, momentsKey, nodeMoments } from "../node-moments.js";
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
  const { tables } = parts;
  if (source === undefined) {
    const counted = new Counted(await parts.families(), parts.workers());
    return json(
      200,
      Array.from(tables().values(), (table) => checked(table, parts.environment, counted)),
    );
  }
  const wanted = keyOf(source, id ?? "");
  if (wanted === undefined) return failure(400, `invalid src type ${source}`);
  const table = id === undefined || more.length > 0 ? undefined : tables().get(wanted);
  if (table === undefined) return failure(404, `no checker for ${source}[${id ?? ""}]`);
  const counted = new Counted(await parts.families(), parts.workers());
  return json(200, checked(table, parts.environment, counted));
}

class Counted {
  readonly workers: number;
  readonly #families: ReadonlyMap<string, MetricFamily>;
  readonly #moments: ReturnType<typeof nodeMoments>;

  constructor(families: readonly MetricFamily[], workers: number) {
    this.workers = workers;
    this.#moments = nodeMoments(families);
    this.#families = new Map(families.map((family) => [family.name, family]));
  }

  isFailing(upstream: string, node: string): boolean {
    const moments = this.#moments.get(momentsKey(upstream, node));
    return moments !== undefined && isFailing(moments);
  }

  sum(name: string, wanted: Labels): number {
    const series = this.#families.get(`gw_upstream_node_${name}`)?.series ?? [];
    const fits = (labels: Labels) =>
      Object.entries(wanted).every(([label, value]) => labels[label] === value);
    return series.reduce((sum, { labels, value }) => sum + (fits(labels) ? value : 0), 0);
  }
}

function checked(table: UpstreamTable, environment: Environment, counted: Counted): object {
  const { key } = table;
  const { kind, id } = ofKey(key);
  return {
    name: `/gw/${kind}/${id}`,
    type: "http",
    nodes: resolved(table, environment).map((node) => stateOf(node, key, counted)),
  };
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

function stateOf({ host, port, weight, priority }: UpstreamNode, upstream: string, counted: Counted): object {
  const labels = { upstream, node: `${host}:${port}` };
  const workers = (state: string) => counted.sum("state", { ...labels, state });
  const failures = (reason: string) => counted.sum("failures_total", { ...labels, reason });
  const ejected = workers("ejected");
  const halfOpen = workers("half_open");
  const slowStart = workers("slow_start");
  const failing = workers("failing");
  // A worker that has not seen the node fail reports no state for it.
  const healthy = Math.max(0, counted.workers - failing - ejected - halfOpen - slowStart);
  const isFailing = counted.isFailing(upstream, labels.node);
  return {
    ip: host,
    hostname: host,
    port,
    weight,
    priority,
    status: statusOf({ out: ejected + halfOpen, failing, well: healthy + slowStart, isFailing }),
    counter: {
      tcp_failure: failures("tcp_failures"),
      timeout_failure: failures("timeouts"),
      http_failure: failures("http_failures"),
    },
    ejections: counted.sum("ejections_total", labels),
    workers: { healthy, failing, ejected, half_open: halfOpen, slow_start: slowStart },
  };
}

/** Statuses of the reference, and `failing`: the last attempt failed, but it is the last node in use. */
export const STATUSES = ["healthy", "failing", "unhealthy", "mostly_unhealthy", "mostly_healthy"] as const;

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
const counts = (...names: string[]): DescribedSchema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, COUNT])),
  required: names,
});

export const HEALTH_SHAPES: Readonly<Record<string, DescribedSchema>> = {
  NodesChecked: {
    type: "object",
    properties: {
      name: { type: "string", description: 'Resource of the nodes: "/gw/upstreams/shop".' },
      type: { const: "http" },
      nodes: { type: "array", items: component("NodeChecked") },
    },
    required: ["name", "type", "nodes"],
  },
  NodeChecked: {
    type: "object",
    properties: {
      ip: { type: "string", description: "Host as configured." },
      hostname: { type: "string" },
      port: { type: "integer" },
      weight: { type: "integer" },
      priority: { type: "integer" },
      status: {
        enum: STATUSES,
        description:
          "failing: in use, and the last attempt failed. If workers differ, the state in most of them.",
      },
      counter: counts("tcp_failure", "timeout_failure", "http_failure"),
      ejections: COUNT,
      workers: counts("healthy", "failing", "ejected", "half_open", "slow_start"),
    },
    required: ["ip", "hostname", "port", "weight", "priority", "status", "counter", "ejections", "workers"],
  },
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
