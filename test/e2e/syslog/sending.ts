import { openSyslogSink } from "../../../plugins/syslog/runtime/index.js";
import { messageMaker } from "../../../plugins/syslog/runtime/message.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import type { StreamDestination } from "../../../runtime/logging/logger-settings.js";
import { bytes, SenderContext } from "../../support/sender-context.js";

export { bytes, SenderContext } from "../../support/sender-context.js";

export const PID = 4711;

export function openSink(
  settings: Partial<StreamDestination> & { port: number },
  context: ResourceContext = new SenderContext(),
): Sink {
  const all: StreamDestination = {
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
