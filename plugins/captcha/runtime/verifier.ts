import { randomBytes } from "node:crypto";
import type {
  Counter,
  Gauge,
  Histogram,
  Labels,
  OpenResource,
  ResourceContext,
} from "../../../runtime/abi/plugin-api.js";
import type { VerifyCalls, VerifyQuery } from "./calls.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type Verdict, verdictOf } from "./verdict.js";

/** Labels of the counter. */
const RESULTS = ["verified", "required", "invalid", "misconfigured", "unavailable", "unverified"] as const;
type CheckResult = (typeof RESULTS)[number];

export const BREAKER_OPEN = "breaker_open";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Shared by all routes with the same site key, service and settings. */
export class Verifier implements OpenResource {
  readonly report: ResourceContext["report"];
  readonly #settings: { siteKey: string; retries: number; url: string };
  readonly #calls: VerifyCalls;
  readonly #now: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #failures: Counter;
  readonly #seconds: Histogram;
  readonly #open: Gauge;
  readonly #metrics: ResourceContext["metrics"];
  /** Last request without a verdict, by route, since the last call with a verdict. */
  readonly #without = new Map<string, Labels>();
  /** Error of the last call; the open breaker allows none. */
  #error = "failed";

  /** @param now monotonic time in ms */
  constructor(
    settings: { siteKey: string; retries: number; url: string },
    calls: VerifyCalls,
    { metrics, report }: Pick<ResourceContext, "metrics" | "report">,
    now: () => number,
  ) {
    this.report = report;
    this.#settings = settings;
    this.#metrics = metrics;
    this.#calls = calls;
    this.#now = now;
    this.#breaker = new CircuitBreaker(now);
    const labels = { site_key: settings.siteKey };
    for (const result of RESULTS) this.#counter(result);
    this.#failures = metrics.counter("gw_captcha_plugin_failures_total", FAILURES, labels);
    this.#seconds = metrics.histogram("gw_captcha_plugin_verify_seconds", TIME, labels, SECONDS);
    this.#open = metrics.gauge("gw_captcha_plugin_breaker_open", BREAKER, labels);
    this.#open.set(0);
  }

  count(result: CheckResult): void {
    this.#counter(result).add(1);
  }

  #counter(result: CheckResult): Counter {
    const labels = { site_key: this.#settings.siteKey, result };
    return this.#metrics.counter("gw_captcha_plugin_requests_total", REQUESTS, labels);
  }

  /** Calls with retries, but not while the breaker is open. Never rejects. */
  async verify(jwt: string, ip: string | undefined): Promise<Verdict> {
    const query: VerifyQuery = {
      jwt,
      ...(ip !== undefined && { ip }),
      idempotency_key: randomBytes(16).toString("base64url"),
    };
    let verdict: Verdict = { kind: "unavailable", error: BREAKER_OPEN };
    for (let left = this.#settings.retries; left >= 0; left--) {
      const permission = this.#breaker.ask();
      if (permission === "open") return verdict;
      verdict = await this.#once(query);
      if (verdict.kind !== "unavailable") {
        this.#answered();
        if (this.#breaker.succeeded()) this.#changed("captcha_available", undefined);
        return verdict;
      }
      this.#failures.add(1);
      this.#error = verdict.error;
      if (this.#breaker.failed()) this.#changed("captcha_unavailable", verdict.error);
    }
    return verdict;
  }

  /** @param wasAsked false: the breaker is open */
  withoutVerdict(route: string, wasAsked: boolean): void {
    const error = this.#error;
    const { siteKey, url } = this.#settings;
    const labels = { site_key: siteKey, route, url, error };
    const before = this.#without.get(route);
    if (before !== undefined && before["error"] !== error) this.#metrics.forget(WITHOUT, before);
    this.#without.set(route, labels);
    this.#metrics.gauge(WITHOUT, LAST, labels).set(Date.now() / 1_000);
    if (wasAsked) this.report("captcha_gives_no_verdict", labels);
  }

  #answered(): void {
    for (const labels of this.#without.values()) this.#metrics.forget(WITHOUT, labels);
    this.#without.clear();
  }

  async #once(query: VerifyQuery): Promise<Verdict> {
    const started = this.#now();
    try {
      return verdictOf(await this.#calls.ask(query), this.#settings.siteKey);
    } catch (error) {
      return { kind: "unavailable", error: nameOf(error) };
    } finally {
      this.#seconds.observe((this.#now() - started) / 1_000);
    }
  }

  #changed(event: string, error: string | undefined): void {
    this.#open.set(this.#breaker.isOpen ? 1 : 0);
    this.report(event, { site_key: this.#settings.siteKey, error });
  }

  async drain(deadlineMs: number): Promise<void> {
    this.#answered();
    await this.#calls.close(deadlineMs);
  }
}

const WITHOUT = "gw_captcha_plugin_last_failure_timestamp_seconds";
const LAST = "Time of the last request without a verdict, until the captcha service returns one again";
const REQUESTS = "Requests that needed a captcha token, by result";
const FAILURES = "Calls of the captcha service without a verdict";
const TIME = "Duration of calls of the captcha service in seconds";
const BREAKER = "Workers that do not call the captcha service, because it failed";

/** Messages may contain addresses, and the query with the token. */
function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (name === "TimeoutError") return "timeout";
  return typeof code === "string" && /^[A-Z_0-9]{1,40}$/.test(code) ? code.toLowerCase() : "failed";
}
