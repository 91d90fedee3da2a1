import { hostname } from "node:os";
import { type ResourceContext, utf8 } from "../../../../runtime/abi/plugin-api.js";
import {
  BatchProcessor,
  openSink,
  type RouteSeries,
  systemClock,
} from "../../../../runtime/process/service-api.js";
import type { CaptchaSettings } from "../contract.js";
import { batchSettings, brokerDestination, syslogDestination } from "./logger-settings.js";

export type AuditTarget = CaptchaSettings["audit"][number];
/** MSGID of syslog messages. */
export type RecordKind = "decision" | "verification";

/** <110>: facility 13 (log audit) × 8 + severity 6 (informational), version 1 (RFC 5424 section 6.2). */
const PRIORITY_AND_VERSION = "<110>1 ";
const APP_NAME = "gwc-captcha";

/** Never waits and never throws: records that a failed destination cannot accept are counted as dropped. */
export class AuditDestination {
  readonly #kind: AuditTarget["kind"];
  readonly #batch: BatchProcessor;
  readonly #series: RouteSeries;

  constructor({ kind, settings }: AuditTarget, context: Pick<ResourceContext, "report" | "metrics">) {
    this.#kind = kind;
    const id = `captcha ${kind}`;
    const destination = kind === "syslog" ? syslogDestination(settings) : brokerDestination(settings);
    const sink = openSink(
      { kind, id, settings: { ...destination } },
      // Control has resolved the references already.
      { ...context, secret: (resolved) => resolved, worker: 0, spoolDirectory: undefined },
    );
    this.#batch = new BatchProcessor(batchSettings(settings, id), sink, context, systemClock);
    this.#series = this.#batch.metrics.of(undefined, "");
  }

  take(what: RecordKind, record: string, time: string): void {
    const text = utf8(record);
    const head = `${PRIORITY_AND_VERSION}${time} ${HOST} ${APP_NAME} ${process.pid} ${what} - `;
    this.#batch.push({ payload: this.#kind === "syslog" ? head + text : text }, this.#series);
  }

  drain(deadlineMs: number): Promise<void> {
    return this.#batch.drain(deadlineMs);
  }
}

/** RFC 5424 section 6: HOSTNAME is 1 to 255 characters of printable US-ASCII without blank. */
const HOST = /^[!-~]{1,255}$/.test(hostname()) ? hostname() : "-";
