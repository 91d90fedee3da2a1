import { FOLDED } from "../../abi/folded-metrics.js";
import type { ActivityReport } from "../../process/activity.js";
import {
  ActivityRing,
  type ActivityTotals,
  addTo,
  Busiest,
  nothing,
  type Percentiles,
  percentilesOf,
  RING_BYTES,
  RING_SECONDS,
} from "./activity-rings.js";

/** Number of routes and upstreams with a ring of their own. */
const ROUTES = 32;
const UPSTREAMS = 16;
export const ALL_RINGS_BYTES = (2 + ROUTES + UPSTREAMS) * RING_BYTES;
/** Number of points of a series; rows below the total have fewer. */
const POINTS = 300;
const POINTS_OF_ROW = 60;

/** Counts in a time range, as in responses. Latencies in ms. */
export interface Figures extends Percentiles {
  requests: number;
  errors_4xx: number;
  errors_5xx: number;
  bytes_in: number;
  bytes_out: number;
}

/** Series of points of `step` seconds, oldest first, with a list for each figure. */
type Series = { from: number; step: number } & { [Name in keyof Figures]: Figures[Name][] };

export interface ActivityRow extends Figures {
  /** Figures of the preceding range of the same length; null if it starts more than an hour ago. */
  before: Figures | null;
  series: Series;
}

export interface LastSecond extends Figures {
  /** Epoch second. */
  at: number;
  unrouted: number;
  routes: ({ id: string } & Figures)[];
  upstreams: ({ id: string } & Figures)[];
}

type Ranked = "routes" | "upstreams";

export interface TimeRangeQuery {
  seconds: number;
  /** Subject of `total`, an upstream by its key; null for the whole gateway. */
  of: { kind: Ranked; id: string } | null;
}

export interface TimeRangeReport {
  seconds: number;
  /** Number of these seconds since the start of control: the divisor of rates. */
  counted_seconds: number;
  /** False if the requested subject has no ring. */
  kept: boolean;
  total: ActivityRow;
  unrouted: Unrouted;
  routes: ({ id: string } & RankedFigures)[];
  upstreams: ({ id: string } & RankedFigures)[];
}

/** `before`: number in the preceding range of the same length; null if it starts more than an hour ago. */
type Unrouted = { requests: number; before: number | null };

type RankedFigures = Omit<ActivityRow, "series">;

const MAX_OF_A_SECOND = ROUTES;

const figuresOf = ({ latency, ...counted }: ActivityTotals): Figures => ({
  requests: counted.requests,
  errors_4xx: counted.errors4xx,
  errors_5xx: counted.errors5xx,
  bytes_in: counted.bytesIn,
  bytes_out: counted.bytesOut,
  ...percentilesOf(latency),
});

export class LastHour {
  readonly #total = new ActivityRing();
  readonly #unrouted = new ActivityRing();
  readonly #routes = new Busiest(ROUTES);
  readonly #upstreams = new Busiest(UPSTREAMS);
  readonly #upstreamOf: (route: string) => string | null | undefined;
  readonly #startedAt: number;
  #sum = nothing();
  #sumUnrouted = 0;
  #byRoute = new Map<string, ActivityTotals>();
  #counted: Record<Ranked, ReadonlyMap<string, ActivityTotals>> = {
    ...{ routes: new Map(), upstreams: new Map() },
  };
  last: LastSecond | undefined;

  constructor(upstreamOf: (route: string) => string | null | undefined, now: number) {
    this.#upstreamOf = upstreamOf;
    this.#startedAt = now;
  }

  report({ total, unrouted, routes }: ActivityReport): void {
    addTo(this.#sum, total);
    this.#sumUnrouted += unrouted;
    for (const { route, ...activity } of routes) {
      if (route === "" || route === FOLDED) continue;
      addTo(getOr(this.#byRoute, route), activity);
    }
  }

  /** Ends the current second. @param second epoch second */
  tick(second: number): void {
    const [sum, unrouted, byRoute] = [this.#sum, this.#sumUnrouted, this.#byRoute];
    this.#sum = nothing();
    this.#sumUnrouted = 0;
    this.#byRoute = new Map();
    const byUpstream = new Map<string, ActivityTotals>();
    for (const [route, counted] of byRoute) {
      const upstream = this.#upstreamOf(route);
      if (upstream) addTo(getOr(byUpstream, upstream), counted);
    }
    this.#total.add(second, sum);
    this.#unrouted.add(second, { ...nothing(), requests: unrouted });
    this.#routes.add(second, byRoute);
    this.#upstreams.add(second, byUpstream);
    this.#counted = { routes: byRoute, upstreams: byUpstream };
    this.last = {
      ...{ at: second, ...figuresOf(sum), unrouted },
      ...{ routes: busiestOf(byRoute), upstreams: busiestOf(byUpstream) },
    };
  }

  lastOf({ kind, id }: NonNullable<TimeRangeQuery["of"]>): Figures {
    return figuresOf(this.#counted[kind].get(id) ?? nothing());
  }

  /** @param now epoch second after the last one counted */
  stretch(now: number, { seconds, of }: TimeRangeQuery): TimeRangeReport {
    const own = of === null ? this.#total : this.#placesOf(of.kind).ring(of.id);
    const rows = (kind: Ranked) =>
      of === null ? this.rows(kind, now, seconds, 0).map(({ series: _, ...figures }) => figures) : [];
    return {
      ...{ seconds, counted_seconds: this.counted(now, seconds), kept: own !== undefined },
      total: this.#row(own ?? new ActivityRing(), now, seconds, POINTS),
      unrouted: this.#withoutRoute(now, seconds),
      ...{ routes: rows("routes"), upstreams: rows("upstreams") },
    };
  }

  #placesOf = (kind: Ranked) => (kind === "routes" ? this.#routes : this.#upstreams);

  figures(now: number, seconds: number): Figures {
    return figuresOf(this.#total.sum(now - seconds, now));
  }

  /** Returns the route with the most 5xx responses; undefined if no route with a ring has any. */
  worstRoute(now: number, seconds: number): { route: string; errors: number } | undefined {
    const errors = this.#routes.rings().map(([route, ring]) => ({
      ...{ route, errors: ring.sum(now - seconds, now).errors5xx },
    }));
    const [worst] = errors.sort((a, b) => b.errors - a.errors);
    return worst && worst.errors > 0 ? worst : undefined;
  }

  /** Returns the rows, busiest first; only those with requests in this range or the preceding one. */
  rows(kind: Ranked, now: number, seconds: number, points = POINTS_OF_ROW): ({ id: string } & ActivityRow)[] {
    return this.#placesOf(kind)
      .rings()
      .map(([id, ring]) => ({ id, ...this.#row(ring, now, seconds, points) }))
      .filter(({ requests, before }) => requests + (before?.requests ?? 0) > 0)
      .sort((a, b) => b.requests - a.requests);
  }

  /** Returns the seconds of a range since the start: soon after a start, rates refer only to these. */
  counted(now: number, seconds: number): number {
    return Math.max(1, Math.min(seconds, now - this.#startedAt));
  }

  #withoutRoute(now: number, seconds: number): Unrouted {
    const { requests, before } = this.#row(this.#unrouted, now, seconds, 0);
    return { requests, before: before?.requests ?? null };
  }

  #row(ring: ActivityRing, now: number, seconds: number, points: number): ActivityRow {
    const from = now - seconds;
    const known = from - seconds >= Math.max(now - RING_SECONDS, this.#startedAt);
    const before = known ? figuresOf(ring.sum(from - seconds, from)) : null;
    return { ...figuresOf(ring.sum(from, now)), before, series: seriesOf(ring, now, seconds, points) };
  }
}

const busiestOf = (counted: ReadonlyMap<string, ActivityTotals>): ({ id: string } & Figures)[] =>
  [...counted]
    .sort(([, a], [, b]) => b.requests - a.requests)
    .slice(0, MAX_OF_A_SECOND)
    .map(([id, stretch]) => ({ id, ...figuresOf(stretch) }));

/** @param points 0 for a series without points */
function seriesOf(ring: ActivityRing, now: number, seconds: number, points: number): Series {
  const step = points === 0 ? seconds : Math.ceil(seconds / points);
  const from = now - Math.ceil(seconds / step) * step;
  const figures: Figures[] = [];
  for (let at = points === 0 ? now : from; at < now; at += step)
    figures.push(figuresOf(ring.sum(at, at + step)));
  const list = <K extends keyof Figures>(name: K) => figures.map((one) => one[name]);
  return {
    ...{ from, step, requests: list("requests") },
    ...{ errors_4xx: list("errors_4xx"), errors_5xx: list("errors_5xx") },
    ...{ bytes_in: list("bytes_in"), bytes_out: list("bytes_out") },
    ...{ p50: list("p50"), p95: list("p95"), p99: list("p99") },
  };
}

function getOr(map: Map<string, ActivityTotals>, name: string): ActivityTotals {
  let found = map.get(name);
  if (found === undefined) map.set(name, (found = nothing()));
  return found;
}
