import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { MetricsRegistry } from "../../abi/metrics-registry.js";
import { ABI, VERSION } from "../../abi/version.js";
import { ProcessMetrics } from "../../process/process-metrics.js";
import type { CertificateDate } from "../certificates.js";
import { WARNINGS } from "../status.js";

/** Buckets in seconds: a change takes some ms, thousands of routes at a start take some seconds. */
const COMPILE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const READY_HELP = "1 if /status/ready returns 200.";

export interface GatewaySnapshot {
  generation: number;
  workers: readonly { worker: number; generation: number }[];
  workersExpected: number;
  ready: boolean;
  /** Codes of the warnings in `/status/ready`. */
  warnings: readonly string[];
  lastReload: { ok: boolean; at: string } | undefined;
  services: readonly { name: string; help: string; up: boolean }[];
  quarantinedRoutes: number;
  stalls: Stalls;
  certificates: readonly CertificateDate[];
}

/** Workers replaced since the start of control, by reason. */
export interface Stalls {
  /** Workers that their watchdog ended. */
  held: number;
  /** Workers that the launcher ended because they sent no liveness signal. */
  silent: number;
}

export class GatewayMetrics {
  readonly registry = new MetricsRegistry();
  readonly #process = new ProcessMetrics(this.registry, "control");
  readonly #workers = new Set<string>();
  #ssls: ReadonlySet<string> = new Set();
  readonly #stalls: Stalls = { held: 0, silent: 0 };

  constructor() {
    const build = { version: VERSION, abi: String(ABI), node: process.version };
    this.registry.gauge("gw_build_info", "Version of the gateway; always 1.", build).set(1);
    for (const outcome of ["accepted", "refused", "failed"] as const) this.#count(outcome, 0);
  }

  close(): void {
    this.#process.close();
  }

  /** Counts a change of the configuration. "failed": the store or the compiler could not process it. */
  wrote(outcome: "accepted" | "refused" | "failed"): void {
    this.#count(outcome, 1);
    if (outcome !== "accepted") return;
    const help = "Unix time of the last activated change of the configuration.";
    this.registry.gauge("gw_config_last_write_timestamp_seconds", help, {}).set(Date.now() / 1000);
  }

  compiled(work: CompileWork, seconds: number): void {
    const help = "Duration of a compile: all of the configuration at a start, a change, or a reload.";
    this.registry.histogram("gw_config_compile_seconds", help, { work }, COMPILE_BUCKETS).observe(seconds);
  }

  observe(facts: GatewaySnapshot): void {
    const { generation, workers, workersExpected, ready, lastReload, services, quarantinedRoutes } = facts;
    const level = (name: string, help: string, value: number) =>
      this.registry.gauge(name, help, {}).set(value);
    level("gw_generation", "Number of the committed generation.", generation);
    level("gw_workers", "Workers connected to control.", workers.length);
    level("gw_workers_expected", "Number of workers that the gateway needs to be ready.", workersExpected);
    level("gw_ready", READY_HELP, ready ? 1 : 0);
    observeWarnings(this.registry, facts.warnings);
    if (lastReload !== undefined) {
      const name = "gw_config_last_reload_successful";
      level(name, "1 if the last reload of files or of a build succeeded.", lastReload.ok ? 1 : 0);
    }
    for (const { name, help, up } of services) level(name, help, up ? 1 : 0);
    level(
      "gw_quarantined_routes",
      "Routes that return 503 because their code stalled a worker.",
      quarantinedRoutes,
    );
    this.#observeStalls(facts.stalls);
    this.#observeWorkers(workers);
    this.#observeCertificates(facts.certificates);
  }

  #observeCertificates(certificates: readonly CertificateDate[]): void {
    const name = "gw_ssl_expiry_timestamp_seconds";
    const help = "Earliest expiry of the certificates of an ssl resource, in Unix time.";
    for (const { ssl, expires } of certificates) this.registry.gauge(name, help, { ssl }).set(expires);
    const present = new Set(certificates.map(({ ssl }) => ssl));
    for (const ssl of this.#ssls) if (!present.has(ssl)) this.registry.forget(name, { ssl });
    this.#ssls = present;
  }

  #observeStalls(stalls: Stalls): void {
    const help = "Workers that were replaced because they stalled, since the start of control.";
    for (const reason of ["held", "silent"] as const) {
      const counter = this.registry.counter("gw_worker_stalls_total", help, { reason });
      counter.add(stalls[reason] - this.#stalls[reason]);
      this.#stalls[reason] = stalls[reason];
    }
  }

  #observeWorkers(workers: GatewaySnapshot["workers"]): void {
    const name = "gw_worker_generation";
    const gone = new Set(this.#workers);
    for (const { worker, generation } of workers) {
      const label = String(worker);
      gone.delete(label);
      this.#workers.add(label);
      this.registry
        .gauge(name, "Number of the generation that a worker serves.", { worker: label })
        .set(generation);
    }
    for (const worker of gone) {
      this.#workers.delete(worker);
      this.registry.forget(name, { worker });
    }
  }

  #count(outcome: string, amount: number): void {
    const help = "Changes of the configuration by outcome, since the start of control.";
    this.registry.counter("gw_config_writes_total", help, { outcome }).add(amount);
  }
}

/** Sets the gauges of warnings; also used by the responder that reports while control is missing. */
export function observeWarnings(registry: MetricsRegistry, warnings: readonly string[]): void {
  const help = "1 while /status/ready has a warning of this code.";
  for (const code of WARNINGS)
    registry.gauge("gw_warnings", help, { code }).set(warnings.includes(code) ? 1 : 0);
}

/** Kind of compile: a full one at start, a change, or a reload. */
export type CompileWork = "load" | "write" | "reload";

/** Wraps a compiler to time its three kinds of compile, also if they are rejected or fail. */
export function timedCompiler(
  compiler: CompilerThread,
  took: (work: CompileWork, seconds: number) => void,
): CompilerThread {
  const timed = async <Answer>(work: CompileWork, answer: Promise<Answer>): Promise<Answer> => {
    const started = performance.now();
    try {
      return await answer;
    } finally {
      took(work, (performance.now() - started) / 1_000);
    }
  };
  return {
    ...compiler,
    load: (...given) => timed("load", compiler.load(...given)),
    write: (...given) => timed("write", compiler.write(...given)),
    reload: (...given) => timed("reload", compiler.reload(...given)),
  };
}
