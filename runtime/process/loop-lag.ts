import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "../abi/metrics.js";

/** Resolution of the measurement in ms. */
const RESOLUTION_MS = 10;
/** Duration in ms of a pause of the event loop that counts. */
const LONG_MS = 50;

/** Pauses of this process's event loop, as metrics. A timer of libuv measures them: no cost for requests. */
export class LoopLag {
  /**
   * Not shared with `ProcessMetrics`: each reader resets what it read, at other times in a gateway of one
   * process. Sharing saves little: an idle process takes 0.26 % of a CPU with one and 0.27 with both.
   */
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #metrics: Metrics;
  readonly #worker: string;

  constructor(metrics: Metrics, worker: number) {
    this.#metrics = metrics;
    this.#worker = String(worker);
    this.#delays.enable();
  }

  record(): void {
    const labels = { worker: this.#worker };
    const longest = Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MS);
    this.#delays.reset();
    const lag = "Longest pause of a worker's event loop since the last report.";
    this.#metrics.gauge("gw_event_loop_lag_seconds", lag, labels).set(longest / 1000);
    const long = "Reports of workers with a pause of their event loop above 50 ms.";
    this.#metrics.counter("gw_event_loop_paused_reports_total", long, labels).add(longest > LONG_MS ? 1 : 0);
  }
}
