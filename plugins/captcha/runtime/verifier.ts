import { randomBytes } from "node:crypto";
import type { Counter, Gauge, Histogram } from "../../../runtime/abi/metrics.js";
import type { OpenResource, ResourceContext } from "../../../runtime/abi/resource.js";
import type { VerifyCalls, VerifyQuery } from "./calls.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import { type Verdict, verdictOf } from "./verdict.js";

/** What became of a protected request, for its counter. */
export type CheckResult =
  | "verified"
  | "required"
  | "invalid"
  | "misconfigured"
  | "unavailable"
  | "unverified";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Verifies tokens of one site key at one service: shared by all routes that have the same settings of that kind. */
export class Verifier implements OpenResource {
  readonly report: ResourceContext["report"];
  readonly #siteKey: string;
  readonly #retries: number;
  readonly #calls: VerifyCalls;
  readonly #now: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #results: Readonly<Record<CheckResult, Counter>>;
  readonly #failures: Counter;
  readonly #seconds: Histogram;
  readonly #open: Gauge;

  /** @param now milliseconds that never jump */
  constructor(
    { siteKey, retries }: { siteKey: string; retries: number },
    calls: VerifyCalls,
    { metrics, report }: Pick<ResourceContext, "metrics" | "report">,
    now: () => number,
  ) {
    this.report = report;
    this.#siteKey = siteKey;
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

  /** Asks, again after a failure, and not at all while the breaker is open. Never rejects. */
  async verify(jwt: string, ip: string | undefined): Promise<Verdict> {
    const query: VerifyQuery = {
      jwt,
      ...(ip !== undefined && { ip }),
      idempotency_key: randomBytes(16).toString("base64url"),
    };
    let verdict: Verdict = { kind: "unavailable", error: "breaker_open" };
    for (let left = this.#retries; left >= 0; left--) {
      const permission = this.#breaker.ask();
      if (permission === "open") return verdict;
      verdict = await this.#once(query);
      if (verdict.kind !== "unavailable") {
        if (this.#breaker.succeeded()) this.#changed("captcha_available", undefined);
        return verdict;
      }
      this.#failures.add(1);
      if (this.#breaker.failed()) this.#changed("captcha_unavailable", verdict.error);
    }
    return verdict;
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
    await this.#calls.close(deadlineMs);
  }
}

const REQUESTS = "Requests that needed a captcha token, by what became of them";
const FAILURES = "Calls of the captcha service that brought no verdict";
const TIME = "Seconds that calls of the captcha service took";
const BREAKER = "1 while the captcha service is not asked, since it failed";

/** Name of a failure; messages may hold addresses, and the query with the token. */
function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (name === "TimeoutError") return "timeout";
  return typeof code === "string" && /^[A-Z_0-9]{1,40}$/.test(code) ? code.toLowerCase() : "failed";
}
