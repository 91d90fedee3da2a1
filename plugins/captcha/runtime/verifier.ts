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

/** Label of the counter. */
export type CheckResult =
  | "verified"
  | "required"
  | "invalid"
  | "misconfigured"
  | "unavailable"
  | "unverified";

export const BREAKER_OPEN = "breaker_open";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Shared by all routes with the same site key, service and settings. */
export class Verifier implements OpenResource {
  readonly report: ResourceContext["report"];
  readonly #siteKey: string;
  readonly #url: string;
  readonly #retries: number;
  readonly #calls: VerifyCalls;
  readonly #now: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #results: Readonly<Record<CheckResult, Counter>>;
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
    { siteKey, retries, url }: { siteKey: string; retries: number; url: string },
    calls: VerifyCalls,
    { metrics, report }: Pick<ResourceContext, "metrics" | "report">,
    now: () => number,
  ) {
    this.report = report;
    this.#siteKey = siteKey;
    this.#url = url;
    this.#metrics = metrics;
    this.#retries = retries;
    this.#calls = calls;
    this.#now = now;
    this.#breaker = new CircuitBreaker(now);
    const labels = { site_key: siteKey };
    const counter = (result: CheckResult) =>
      metrics.counter("gw_captcha_plugin_requests_total", REQUESTS, { ...labels, result });
    this.#results = {
      verified: counter("verified"),
      required: counter("required"),
      invalid: counter("invalid"),
      misconfigured: counter("misconfigured"),
      unavailable: counter("unavailable"),
      unverified: counter("unverified"),
    };
    this.#failures = metrics.counter("gw_captcha_plugin_failures_total", FAILURES, labels);
    this.#seconds = metrics.histogram("gw_captcha_plugin_verify_seconds", TIME, labels, SECONDS);
    this.#open = metrics.gauge("gw_captcha_plugin_breaker_open", BREAKER, labels);
    this.#open.set(0);
  }

  count(result: CheckResult): void {
    this.#results[result].add(1);
  }

  /** Calls with retries, but not while the breaker is open. Never rejects. */
  async verify(jwt: string, ip: string | undefined): Promise<Verdict> {
    const query: VerifyQuery = {
      jwt,
      ...(ip !== undefined && { ip }),
      idempotency_key: randomBytes(16).toString("base64url"),
    };
    let verdict: Verdict = { kind: "unavailable", error: BREAKER_OPEN };
    for (let left = this.#retries; left >= 0; left--) {
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
    const labels = { site_key: this.#siteKey, route, url: this.#url, error };
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
      return verdictOf(await this.#calls.ask(query), this.#siteKey);
    } catch (error) {
      return { kind: "unavailable", error: nameOf(error) };
    } finally {
      this.#seconds.observe((this.#now() - started) / 1_000);
    }
  }

  #changed(event: string, error: string | undefined): void {
    this.#open.set(this.#breaker.isOpen ? 1 : 0);
    this.report(event, { site_key: this.#siteKey, error });
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
