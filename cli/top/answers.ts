import type { OverviewAnswer } from "../../runtime/control/overview/overview.js";

/** A node of an upstream, with the sums of all workers. */
export interface Node {
  host: string;
  port: number;
  weight: number;
  state: string;
  in_flight: number;
  failures: { connect: number; timeout: number; status: number };
}

/** Checks the members that are read; others may be anything. */
type Shape = (value: unknown) => boolean;

const text: Shape = (value) => typeof value === "string";
const number: Shape = (value) => typeof value === "number";
const orNull =
  (of: Shape): Shape =>
  (value) =>
    value === null || of(value);
const list =
  (of: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(of);
const object =
  (members: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(members).every(([name, of]) => of((value as Record<string, unknown>)[name]));

const COUNTS = {
  ...{ requests: number, errors_4xx: number, errors_5xx: number, bytes_in: number, bytes_out: number },
  ...{ p50: orNull(number), p95: orNull(number), p99: orNull(number) },
};
const POINTS = list(orNull(number));
const ROW = {
  ...COUNTS,
  before: orNull(object(COUNTS)),
  series: object({
    ...{ requests: POINTS, errors_4xx: POINTS, errors_5xx: POINTS, bytes_out: POINTS },
    ...{ p50: POINTS, p99: POINTS },
  }),
};
const ROWS = list(object({ ...ROW, id: text }));
const NOW = object({
  ...{ generation: number, workers: list(() => true), workers_expected: number },
  ...{ ready: (value) => typeof value === "boolean", reasons: list(object({ message: text })) },
});
const SEVERITY: Shape = (value) => value === "error" || value === "warning";
const OVERVIEW = object({
  ...{
    seconds: number,
    counted_seconds: number,
    now: NOW,
    total: object(ROW),
    routes: ROWS,
    upstreams: ROWS,
  },
  attention: list(object({ severity: SEVERITY, text, action: text })),
});
const NODE = object({
  ...{ host: text, port: number, weight: number, state: text, in_flight: number },
  failures: object({ connect: number, timeout: number, status: number }),
});
const NODES = object({ upstreams: list(object({ nodes: list(NODE) })) });

/** Reports whether a value is a response of `GET /gw/admin/overview`. Another program may be listening there. */
export const isOverview = (value: unknown): value is OverviewAnswer => OVERVIEW(value);

/** Reports whether a value is a response of `GET /gw/admin/nodes`. */
export const areNodes = (value: unknown): value is { upstreams: { nodes: Node[] }[] } => NODES(value);
