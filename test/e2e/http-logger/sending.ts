import type { HttpDestination } from "../../../plugins/http-logger/runtime/destination.js";
import { openHttpSink } from "../../../plugins/http-logger/runtime/sink.js";
import { type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import { bytes, SenderContext } from "../../support/sender-context.js";

export { bytes, SenderContext, upTo } from "../../support/sender-context.js";

export function openSink(
  settings: Partial<HttpDestination> & Pick<HttpDestination, "uri">,
  context: ResourceContext = new SenderContext(),
): Sink {
  const all: HttpDestination = {
    method: "POST",
    timeoutMs: 3000,
    verify: true,
    format: "json",
    compression: "none",
    records: 1000,
    ...settings,
  };
  return openHttpSink({ kind: "http-logger", id: "test", settings: { ...all } }, context);
}

/** Entries with these records. */
export const entries = (...records: unknown[]): LogEntry[] =>
  records.map((record) => ({ payload: bytes(JSON.stringify(record)) }));

/** Records {n: from} to {n: from + count - 1}. */
export const numbered = (from: number, count: number, padding = ""): LogEntry[] =>
  entries(...Array.from({ length: count }, (_, i) => ({ n: from + i, ...(padding !== "" && { padding }) })));

/** The n of each record in bodies that are arrays. */
export const numbers = (texts: readonly string[]): number[] =>
  texts.flatMap((text) => (JSON.parse(text) as { n: number }[]).map(({ n }) => n));

/** Error of a batch that was not delivered. @throws Error if it was */
export async function failure(sending: Promise<void>): Promise<SendError> {
  try {
    await sending;
  } catch (error) {
    if (error instanceof SendError) return error;
    throw error;
  }
  throw new Error("the batch was delivered");
}
