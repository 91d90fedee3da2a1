import type { Escape } from "../abi/access-format.js";
import { messageOf } from "../abi/error-message.js";
import type { Metrics } from "../abi/metrics.js";
import { accessLine } from "../logging/access-line.js";
import type { GatewayExchange } from "../proxy/exchange/exchange.js";
import { LineAppender } from "./line-appender.js";
import { logReport } from "./report-limit.js";

export interface AccessLogSettings {
  /** Absolute path; null: standard output. */
  path: string | null;
  /** "combined", "json" or a pattern. */
  format: string;
  escape: Escape;
}

/** Timeout in ms for the last lines of a log that a reload replaces. */
const REPLACED_MS = 10_000;
/** Maximum bytes of each value in a line that is too long for a pipe; the second is the last try. */
const SHORTER = [512, 64];
const DROPPED =
  "Lines of the access log that were dropped because its disk or its reader did not accept them.";

/** Without settings and without `beside`, `write` is undefined: a request then costs only a check. */
export class AccessLog {
  write: ((x: GatewayExchange) => void) | undefined = undefined;
  readonly #metrics: Metrics;
  #settings: AccessLogSettings | undefined;
  #lines: LineAppender | undefined;
  #line: ((x: GatewayExchange) => void) | undefined;
  #beside: ((x: GatewayExchange) => void) | undefined;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  apply(settings: AccessLogSettings | undefined): void {
    if (JSON.stringify(settings) === JSON.stringify(this.#settings)) return;
    void this.close(REPLACED_MS);
    this.#settings = settings;
    if (settings === undefined) return;
    const path = settings.path ?? undefined;
    const dropped = this.#metrics.counter("gw_access_log_dropped_total", DROPPED, {});
    const lines = new LineAppender({
      path,
      dropped: (count) => dropped.add(count),
      failed: (reason) => logReport("access_log_failed", { path: path ?? "stdout", reason }),
    });
    this.#lines = lines;
    const line = accessLine(settings.format, settings.escape);
    this.#line = (x) => {
      try {
        let text = line(x);
        for (const most of SHORTER) if (text.length >= lines.atOnce) text = line(x, most);
        lines.add(text);
      } catch (error) {
        logReport("access_log_failed", { path: path ?? "stdout", reason: messageOf(error) });
      }
    };
    this.#compose();
  }

  /** Sets a callback for finished requests, which runs before their lines are written. */
  set beside(told: ((x: GatewayExchange) => void) | undefined) {
    if (told === this.#beside) return;
    this.#beside = told;
    this.#compose();
  }

  #compose(): void {
    const [line, beside] = [this.#line, this.#beside];
    if (line === undefined || beside === undefined) this.write = line ?? beside;
    else
      this.write = (x) => {
        beside(x);
        line(x);
      };
  }

  reopen(): void {
    this.#lines?.reopen();
  }

  async close(deadlineMs: number): Promise<void> {
    const lines = this.#lines;
    this.#line = undefined;
    this.#compose();
    this.#lines = undefined;
    this.#settings = undefined;
    await lines?.close(deadlineMs);
  }
}
