import type { MetricsRegistry } from "../abi/metrics-registry.js";
import { LATENCY_BUCKETS } from "../proxy/host/request-metrics.js";

export interface Activity {
  requests: number;
  /** Responses with a status from 400 to 499, and from 500 on. */
  errors4xx: number;
  errors5xx: number;
  /** Bytes from and to clients, heads included. */
  bytesIn: number;
  bytesOut: number;
  /** Requests by latency: one count for each of `LATENCY_BUCKETS`, and one above all. */
  latency: number[];
}

/** Counts of one route; "": requests without a route. */
interface RouteActivity extends Activity {
  route: string;
}

/** Report of a worker, each second: the busiest routes that had requests, and the sum of all routes. */
export interface ActivityReport {
  total: Activity;
  /** Requests that no route matched, with the reply 404. */
  unrouted: number;
  routes: RouteActivity[];
}

/** Maximum routes of one report; others count only in the total. */
const MAX_ROUTES = 200;

const [REQUESTS, ERRORS_4XX, ERRORS_5XX, BYTES_IN, BYTES_OUT, LATENCY] = [0, 1, 2, 3, 4, 5];
const WIDTH = LATENCY + LATENCY_BUCKETS.length + 1;

interface Row {
  before: Float64Array;
  now: Float64Array;
}

/** Counts since the last report, from series that each request is counted in anyway. 10,000 series take 0.8 ms. */
export class ActivityCounter {
  readonly #registry: Pick<MetricsRegistry, "visit">;
  readonly #rows = new Map<string, Row>();
  #unrouted = 0;

  constructor(registry: Pick<MetricsRegistry, "visit">) {
    this.#registry = registry;
  }

  take(): ActivityReport {
    for (const row of this.#rows.values()) row.now.fill(0);
    const before = this.#unrouted;
    this.#unrouted = 0;
    this.#count();
    const unrouted = Math.max(0, this.#unrouted - before);
    const total = new Float64Array(WIDTH);
    const routes: RouteActivity[] = [];
    for (const [route, row] of this.#rows) {
      const { before, now } = row;
      if ((now[REQUESTS] ?? 0) < (before[REQUESTS] ?? 0)) {
        // Its series are gone: the route has left the configuration.
        this.#rows.delete(route);
        continue;
      }
      for (let i = 0; i < WIDTH; i += 1) {
        const grown = (now[i] ?? 0) - (before[i] ?? 0);
        before[i] = grown;
        total[i] = (total[i] ?? 0) + grown;
      }
      if ((before[REQUESTS] ?? 0) > 0) routes.push({ route, ...activityOf(before) });
      row.before = now;
      row.now = before;
    }
    routes.sort((a, b) => b.requests - a.requests);
    return { total: activityOf(total), unrouted, routes: routes.slice(0, MAX_ROUTES) };
  }

  #count(): void {
    this.#registry.visit("gw_http_status", (labels, value) => {
      const { route = "", code = "" } = labels;
      const row = this.#row(route);
      // Rejected messages that are not requests have no route either. If the label is dropped, no series has it.
      if (labels["route"] === "" && code === "404") this.#unrouted += value;
      row[REQUESTS] = (row[REQUESTS] ?? 0) + value;
      const errors = code.startsWith("4") ? ERRORS_4XX : code.startsWith("5") ? ERRORS_5XX : undefined;
      if (errors !== undefined) row[errors] = (row[errors] ?? 0) + value;
    });
    this.#registry.visit("gw_bandwidth", ({ route = "", type }, value) => {
      const row = this.#row(route);
      const place = type === "ingress" ? BYTES_IN : BYTES_OUT;
      row[place] = (row[place] ?? 0) + value;
    });
    this.#registry.visit("gw_http_latency", ({ route = "", type }, _, counts = []) => {
      if (type !== "request") return;
      const row = this.#row(route);
      for (let i = 0; i < counts.length; i += 1)
        row[LATENCY + i] = (row[LATENCY + i] ?? 0) + (counts[i] ?? 0);
    });
  }

  #row(route: string): Float64Array {
    let row = this.#rows.get(route);
    if (row === undefined) {
      row = { before: new Float64Array(WIDTH), now: new Float64Array(WIDTH) };
      this.#rows.set(route, row);
    }
    return row.now;
  }
}

function activityOf(row: Float64Array): Activity {
  return {
    requests: row[REQUESTS] ?? 0,
    errors4xx: row[ERRORS_4XX] ?? 0,
    errors5xx: row[ERRORS_5XX] ?? 0,
    bytesIn: row[BYTES_IN] ?? 0,
    bytesOut: row[BYTES_OUT] ?? 0,
    latency: Array.from(row.subarray(LATENCY)),
  };
}
