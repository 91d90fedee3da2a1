import type { Histogram, Labels, Metrics } from "../../../../runtime/abi/plugin-api.js";
import type { DecisionRecord, VerificationRecord } from "../contract.js";

/** Seconds from the tick to a token that required a task. */
const SOLVE_BUCKETS = [2, 5, 10, 20, 30, 60, 120, 300, 600];
const SCORE_BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Labels are closed lists and existing site keys ("" for unknown ones): no request can create a series. */
export class AuditMetrics {
  readonly #metrics: Metrics;
  readonly #isKnown: (siteKey: string) => boolean;
  readonly #scores: Histogram;
  readonly #solved: Histogram;

  constructor(metrics: Metrics, isKnown: (siteKey: string) => boolean) {
    this.#metrics = metrics;
    this.#isKnown = isKnown;
    this.#scores = metrics.histogram(
      "gw_captcha_score",
      "Scores at the tick; 1 is a bot.",
      {},
      SCORE_BUCKETS,
    );
    this.#solved = metrics.histogram(
      "gw_captcha_solve_seconds",
      "Time from the tick to a token that required a task, in seconds.",
      {},
      SOLVE_BUCKETS,
    );
  }

  decision({ decision, site_key, score, tasks, solved_ms }: DecisionRecord): void {
    const help = "Decisions: token, task, again (answer wrong, late or bot-like), shadow, refused.";
    this.#add("gw_captcha_decisions_total", help, { site_key: this.#siteKey(site_key), decision });
    if (tasks.length === 0) this.#scores.observe(score);
    const last = tasks.at(-1);
    if (last !== undefined && decision !== "task") {
      const labels = { type: last.type, outcome: last.ok ? "solved" : "failed" };
      this.#add("gw_captcha_tasks_total", "Answered tasks.", labels);
    }
    if (solved_ms !== undefined && decision === "token" && tasks.length > 0)
      this.#solved.observe(solved_ms / 1_000);
  }

  verification({ site_key, success, reason, error }: VerificationRecord): void {
    const result = success ? "success" : (reason ?? error ?? "other");
    const labels = { site_key: this.#siteKey(site_key), result };
    this.#add(
      "gw_captcha_verifications_total",
      "Verifications: success, or why not (reference 5.4).",
      labels,
    );
  }

  #siteKey(siteKey: string): string {
    return this.#isKnown(siteKey) ? siteKey : "";
  }

  #add(name: string, help: string, labels: Labels): void {
    this.#metrics.counter(name, help, labels).add(1);
  }
}
