import {
  answered,
  component,
  type DescribedOperation,
  type DescribedSchema,
  errorResponse,
} from "../../process/operation.js";
import { HEALTHCHECK, SOURCES, STATUSES } from "./healthcheck.js";

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
