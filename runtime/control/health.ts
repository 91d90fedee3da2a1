import type { MetricFamily } from "../abi/metrics.js";
import { RemovedRoutes, routesIn, SHOWN_MS, withoutRoutes } from "../abi/removed-routes.js";
import { isServing, type Serving } from "../process/launch-plan.js";
import { type Starting, startingReason } from "../process/starting.js";
import { type CertificateFileFault, faultText } from "./certificate-files.js";
import type { CertificateDate } from "./certificates.js";
import type { LastReload } from "./configuration-files.js";
import type { GatewayMetrics } from "./metrics/gateway-metrics.js";
import { aggregateMetrics } from "./metrics/worker-metrics.js";
import type { Services } from "./services.js";
import type { NotReady } from "./status.js";
import type { Workers } from "./workers.js";

/** Timeout in ms for metrics of workers; a late one is shown with its previous counters. */
export const SCRAPE_MS = 500;

/** Present while the launcher is silent. */
export interface LauncherSilence {
  launcher?: { silent_ms: number };
}

export interface HealthParts {
  workers: Workers;
  workersExpected: number;
  services: Services;
  counters: GatewayMetrics;
  generation: () => number;
  hasRoute: (id: string) => boolean;
  certificates: () => readonly CertificateDate[];
  certificateFiles: () => readonly CertificateFileFault[];
  stale: () => string | undefined;
  starting: () => Starting | undefined;
  lastReload: () => LastReload | undefined;
  /** Reason why the last write failed through no fault of the client. */
  failedWrite: () => string | undefined;
  /** Serving processes as the launcher knows them; undefined without a launcher, or if it is silent. */
  serving: () => Serving | undefined;
  launcher: () => LauncherSilence;
}

export class Health {
  readonly #parts: HealthParts;
  readonly #removedRoutes: RemovedRoutes;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#removedRoutes = new RemovedRoutes(parts.hasRoute, SHOWN_MS);
  }

  /** Returns the reasons why requests are not served, or soon will not be, most important first. */
  reasons = (): NotReady[] => {
    const serving = this.#parts.serving();
    if (serving?.stopping) return [{ code: "stopping", message: "the gateway is stopping" }];
    return this.#serves(serving) ? [] : this.#lag();
  };

  /** Returns the impairments while requests are served. */
  warnings = (): NotReady[] => {
    const { stale, failedWrite, launcher } = this.#parts;
    const message = stale();
    const failed = failedWrite();
    const { launcher: silent } = launcher();
    const writeFault = failed === undefined ? undefined : `the last write failed: ${failed}`;
    const silence = silent && "the launcher does not respond: no process is replaced";
    return [
      ...warning("last_known_good", message),
      ...(this.#serves(this.#parts.serving()) ? this.#lag() : []),
      ...this.#quarantined(),
      ...this.#services(),
      ...this.#reload(),
      ...this.#certificates(),
      ...warning("write_failed", writeFault),
      ...warning("launcher_silent", silence, silent),
    ];
  };

  /** A new control has no workers yet, nor has a successor, while requests are served. */
  #serves(serving: Serving | undefined): boolean {
    return this.#parts.workers.serving > 0 || (serving !== undefined && isServing(serving));
  }

  #lag(): NotReady[] {
    const lag = this.#parts.workers.lag();
    const stage = lag && this.#parts.starting();
    return [...(lag === undefined ? [] : [lag]), ...(stage === undefined ? [] : [startingReason(stage)])];
  }

  #quarantined(): NotReady[] {
    const { length } = this.#parts.workers.quarantinedRoutes;
    if (length === 0) return [];
    const held = length === 1 ? "1 route returns 503: its" : `${length} routes return 503: their`;
    const message = `${held} code has stalled a worker`;
    return [{ code: "route_quarantined", message, routes: length }];
  }

  #services(): NotReady[] {
    return Object.entries(this.#parts.services.summaries).flatMap(([service, { up, reason }]) => {
      const message = `${service} does not serve: ${reason ?? "it is starting"}`;
      return up ? [] : [{ code: "service_down", message, service }];
    });
  }

  #certificates(): NotReady[] {
    return this.#parts.certificateFiles().map(({ ssl, outcome, ...fault }) => {
      return { code: "certificate_file", message: `ssl "${ssl}": ${faultText(fault)}; ${outcome}`, ssl };
    });
  }

  #reload(): NotReady[] {
    const { ok = true, at } = this.#parts.lastReload() ?? {};
    const message =
      "the last reload was rejected, the previous configuration still runs: last_reload has the reason";
    return ok ? [] : [{ code: "reload_refused", message, at }];
  }

  details = (): object => {
    const { workers, services, generation, launcher } = this.#parts;
    const { lastStall, quarantinedRoutes } = workers;
    const lastReload = this.#parts.lastReload();
    return {
      generation: generation(),
      workers: workers.summary(),
      ...services.summaries,
      ...(lastReload && { last_reload: lastReload }),
      ...(lastStall && { last_stall: lastStall }),
      ...(quarantinedRoutes.length > 0 && { quarantined_routes: quarantinedRoutes }),
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
      warnings: this.warnings().map(({ code }) => code),
      lastReload: this.#parts.lastReload(),
      services: services.levels,
      certificates: this.#parts.certificates(),
      quarantinedRoutes: workers.quarantinedRoutes.length,
      stalls: workers.stalls,
    });
    const parts = await Promise.all([
      counters.registry.collect(SCRAPE_MS),
      workers.metrics.collect(SCRAPE_MS),
    ]);
    // Both have metrics of their process, with different labels.
    const families = aggregateMetrics(parts.map((one) => ({ families: one, ended: false })));
    const gone = this.#removedRoutes.among(routesIn(families), performance.now());
    workers.metrics.forgetRoutes(gone);
    return withoutRoutes(families, gone);
  };
}

const warning = (code: string, message: string | undefined, details: object = {}): NotReady[] =>
  message === undefined ? [] : [{ code, message, ...details }];
