import { hostname } from "node:os";
import { type LogEntry, type ResourceContext, type Sink, utf8 } from "../../../../runtime/abi/plugin-api.js";
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
    const sink = openTarget({ kind, settings }, context);
    this.#batch = new BatchProcessor(batchSettings(settings, `captcha ${kind}`), sink, context, systemClock);
    this.#series = this.#batch.metrics.of(undefined, "");
  }

  take(what: RecordKind, record: string, time: string): void {
    this.#batch.push(this.#entry(what, utf8(record), time), this.#series);
  }

  drain(deadlineMs: number): Promise<void> {
    return this.#batch.drain(deadlineMs);
  }

  #entry(what: RecordKind, record: string, time: string): LogEntry {
    if (this.#kind === "broker-logger") return { payload: record };
    return {
      payload: `${PRIORITY_AND_VERSION}${time} ${HOST} ${APP_NAME} ${process.pid} ${what} - ${record}`,
    };
  }
}

/** RFC 5424 section 6: HOSTNAME is 1 to 255 characters of printable US-ASCII without blank. */
const HOST = /^[!-~]{1,255}$/.test(hostname()) ? hostname() : "-";

function openTarget(
  { kind, settings }: AuditTarget,
  context: Pick<ResourceContext, "report" | "metrics">,
): Sink {
  const destination = kind === "syslog" ? syslogDestination(settings) : brokerDestination(settings);
  return openSink(
    { kind, id: `captcha ${kind}`, settings: { ...destination } },
    {
      ...context,
      // Control has resolved the references already.
      secret: (resolved) => resolved,
      worker: 0,
      spoolDirectory: undefined,
    },
  );
}
