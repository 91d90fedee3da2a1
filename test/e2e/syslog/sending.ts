import { messageMaker } from "../../../plugins/syslog/runtime/message.js";
import { openSyslogSink, type SyslogSinkSettings } from "../../../plugins/syslog/runtime/sink.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";

export const PID = 4711;

/** What a worker gives the sinks that it opens, with what they said and counted. */
export class SenderContext implements ResourceContext {
  readonly metrics = new MetricsRegistry();
  readonly reports: { event: string; fields: Record<string, string | number | undefined> }[] = [];
  readonly worker = 0;
  readonly spoolDirectory = undefined;

  secret(): undefined {}

  readonly report: ResourceContext["report"] = (event, fields) => {
    this.reports.push({ event, fields });
  };
}

export function openSink(
  settings: Partial<SyslogSinkSettings> & { port: number },
  context: ResourceContext = new SenderContext(),
): Sink {
  const all: SyslogSinkSettings = {
    host: "127.0.0.1",
    sockType: "tcp",
    tls: false,
    framing: "newline",
    timeoutMs: 3000,
    flushLimit: 4096 * 1024,
    dropLimit: 1_048_576 * 1024,
    poolSize: 5,
    ...settings,
  };
  return openSyslogSink({ kind: "syslog", id: "test", settings: { ...all } }, context);
}

/** The text as the byte string of its UTF-8. */
export const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

const message = messageMaker(PID);

/** Messages for "shop.example.com" whose records are the given values. */
export function entries(...records: unknown[]): LogEntry[] {
  return records.map((record) => ({ payload: message("shop.example.com", bytes(JSON.stringify(record))) }));
}

/** Records {n: from} to {n: from + count - 1}. */
export function numbered(from: number, count: number, padding = ""): LogEntry[] {
  return entries(...Array.from({ length: count }, (_, i) => ({ n: from + i, padding })));
}

/** The n of each record, in the order of arrival. */
export const numbers = (received: readonly { msg: string }[]) =>
  received.map(({ msg }) => (JSON.parse(msg) as { n: number }).n);
