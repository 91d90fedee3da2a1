import type { MetricFamily } from "../abi/metrics.js";
import { type Starting, startingReason } from "../process/starting.js";
import type { CertificateDate } from "./certificate-dates.js";
import type { LastReload } from "./configuration-files.js";
import type { GatewayMetrics } from "./metrics/gateway-metrics.js";
import type { Services } from "./services.js";
import type { NotReady } from "./status.js";
import type { Workers } from "./workers.js";

/** A worker that does not tell its counters by then enters the page with those it told last. */
export const SCRAPE_MS = 500;

export interface HealthParts {
  workers: Workers;
  /** Workers that make the gateway ready. */
  workersExpected: number;
  services: Services;
  counters: GatewayMetrics;
  /** Number of the committed generation. */
  generation: () => number;
  certificates: () => readonly CertificateDate[];
  /** Why what runs is not what is configured, or undefined. */
  stale: () => string | undefined;
  /** The stage of a start that is under way. */
  starting: () => Starting | undefined;
  /** How the last reload ended; undefined before the first. */
  lastReload: () => LastReload | undefined;
  /** Whether the gateway is about to stop. */
  stopping: () => boolean;
  /** What readiness tells of the launcher. */
  launcher: () => object;
}

/** What the status listener and the page for Prometheus tell of the gateway. */
export class Health {
  readonly #parts: HealthParts;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Why the gateway is not ready, what weighs most first. A service that is not there is no reason. */
  reasons = (): NotReady[] => {
    const { stale, workers, starting, stopping } = this.#parts;
    const message = stale();
    const lag = workers.lag();
    const stage = lag && starting();
    return [
      ...(stopping() ? [{ code: "stopping", message: "the gateway is about to stop" }] : []),
      ...(message === undefined ? [] : [{ code: "last_known_good", message }]),
      ...(lag === undefined ? [] : [lag]),
      ...(stage === undefined ? [] : [startingReason(stage)]),
    ];
  };

  details = (): object => {
    const { workers, services, generation, launcher } = this.#parts;
    const { lastStall, heldRoutes } = workers;
    const lastReload = this.#parts.lastReload();
    return {
      generation: generation(),
      workers: workers.summary(),
      ...services.summaries,
      ...(lastReload && { last_reload: lastReload }),
      ...(lastStall && { last_stall: lastStall }),
      ...(heldRoutes.length > 0 && { held_routes: heldRoutes }),
      ...launcher(),
    };
  };

  collect = async (): Promise<MetricFamily[]> => {
    const { workers, workersExpected, services, counters, generation } = this.#parts;
    counters.observe({
      generation: generation(),
      workers: workers.summary(),
      workersExpected,
      ready: this.reasons().length === 0,
      lastReload: this.#parts.lastReload(),
      services: services.levels,
      certificates: this.#parts.certificates(),
      heldRoutes: workers.heldRoutes.length,
      stalls: workers.stalls,
    });
    return [...counters.registry.snapshot(), ...(await workers.metrics.collect(SCRAPE_MS))];
  };
}
