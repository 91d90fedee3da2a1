import type { Counter, Metrics } from "../../abi/metrics.js";
import type { Rejection } from "./answer.js";

/** Seconds; a verification is a signature check and one write. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Counters of the endpoint. Labels come from the configuration and closed lists only. */
export function verifyMetrics(metrics: Metrics) {
  const results = new Map<string, Counter>();
  const reasons = new Map<string, Counter>();
  const seconds = metrics.histogram("gw_captcha_verify_seconds", "Time of verifications.", {}, BUCKETS);
  const skew = metrics.counter(
    "gw_captcha_clock_skew_total",
    "Tokens from the future: clocks of nodes differ.",
    {},
  );
  const lastUsed = new Map<string, ReturnType<Metrics["gauge"]>>();
  const counted = (known: Map<string, Counter>, key: string, make: () => Counter) => {
    const counter = known.get(key) ?? make();
    known.set(key, counter);
    counter.add(1);
  };
  return {
    /** @param siteKey a configured one, or "unknown" */
    done(siteKey: string, fault: Rejection | undefined, ms: number): void {
      const result = fault?.error ?? "success";
      counted(results, `${siteKey} ${result}`, () =>
        metrics.counter("gw_captcha_verify_total", "Verifications.", { site_key: siteKey, result }),
      );
      const reason = fault?.reason;
      if (reason !== undefined) {
        counted(reasons, reason, () =>
          metrics.counter("gw_captcha_verify_rejected_total", "Verifications without success.", { reason }),
        );
        if (reason === "not_yet_valid") skew.add(1);
      }
      seconds.observe(ms / 1_000);
    },
    keyUsed(id: string, epochMs: number): void {
      let gauge = lastUsed.get(id);
      if (gauge === undefined) {
        gauge = metrics.gauge(
          "gw_captcha_api_key_last_used_seconds",
          "When an API key was last used, epoch seconds.",
          { key: id },
        );
        lastUsed.set(id, gauge);
      }
      gauge.set(Math.floor(epochMs / 1_000));
    },
  };
}
