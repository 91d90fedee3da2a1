import { FOLDED, OF_REQUESTS } from "./folded-metrics.js";
import type { MetricFamily } from "./metrics.js";

/** Time for which the metrics page keeps a removed route: some scrapes with the last values. */
export const SHOWN_MS = 300_000;
/** Workers keep routes longer: a sum that loses one worker before another looks like a reset. */
export const RETENTION_MS = 2 * SHOWN_MS;

export class RemovedRoutes {
  readonly #isThere: (route: string) => boolean;
  readonly #ms: number;
  readonly #missed = new Map<string, number>();

  constructor(isThere: (route: string) => boolean, ms: number) {
    this.#isThere = isThere;
    this.#ms = ms;
  }

  /** @param named routes with series @param now monotonic time in ms @returns routes gone for `ms` */
  among(named: ReadonlySet<string>, now: number): ReadonlySet<string> {
    const gone = new Set<string>();
    for (const route of named) {
      if (route === "" || route === FOLDED || this.#isThere(route)) {
        this.#missed.delete(route);
        continue;
      }
      const since = this.#missed.get(route) ?? now;
      this.#missed.set(route, since);
      if (now - since >= this.#ms) gone.add(route);
    }
    for (const route of this.#missed.keys()) if (!named.has(route)) this.#missed.delete(route);
    return gone;
  }
}

export function routesIn(families: readonly MetricFamily[]): ReadonlySet<string> {
  const routes = new Set<string>();
  for (const { name, series } of families)
    if (OF_REQUESTS.has(name)) for (const { labels } of series) routes.add(labels["route"] ?? "");
  return routes;
}

export function withoutRoutes(families: readonly MetricFamily[], gone: ReadonlySet<string>): MetricFamily[] {
  return families.map((family) => {
    if (gone.size === 0 || !OF_REQUESTS.has(family.name)) return family;
    return { ...family, series: family.series.filter(({ labels }) => !gone.has(labels["route"] ?? "")) };
  });
}
