import type { Counter, Gauge, Metrics } from "../../../../runtime/abi/metrics.js";
import type { Rejection } from "./answer.js";

/** Seconds; a verification is a signature check and one write. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Counts in addition to the audit, which counts verifications of known callers. Labels are closed lists. */
export class VerifyMetrics {
  readonly #metrics: Metrics;
  readonly #seconds: ReturnType<Metrics["histogram"]>;
  readonly #skew: Counter;
  readonly #refused = new Map<string, Counter>();
  readonly #used = new Map<string, Gauge>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#seconds = metrics.histogram("gw_captcha_verify_seconds", "Time of verifications.", {}, BUCKETS);
    this.#skew = metrics.counter(
      "gw_captcha_clock_skew_total",
      "Verified tokens from the future: clocks of nodes differ by more than 5 s.",
      {},
    );
  }

  /** @param known false: the caller had no valid key, so the audit has no record */
  done(fault: Rejection | undefined, known: boolean, ms: number): void {
    this.#seconds.observe(ms / 1_000);
    if (fault?.reason === "not_yet_valid") this.#skew.add(1);
    if (known) return;
    const reason = fault?.reason ?? fault?.error ?? "other";
    let counter = this.#refused.get(reason);
    if (counter === undefined) {
      const help = "Verification requests from unknown callers.";
      counter = this.#metrics.counter("gw_captcha_verify_refused_total", help, { reason });
      this.#refused.set(reason, counter);
    }
    counter.add(1);
  }

  keyUsed(id: string, epochMs: number): void {
    let gauge = this.#used.get(id);
    if (gauge === undefined) {
      const help = "When an API key was last used, epoch seconds.";
      gauge = this.#metrics.gauge("gw_captcha_api_key_last_used_timestamp_seconds", help, { key: id });
      this.#used.set(id, gauge);
    }
    gauge.set(Math.floor(epochMs / 1_000));
  }
}
