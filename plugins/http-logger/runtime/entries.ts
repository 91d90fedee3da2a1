import { ambient } from "../../../runtime/abi/ambient.js";
import type { LogEntry } from "../../../runtime/abi/delivery.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { flattenRope } from "../../../runtime/logging/flatten-rope.js";
import { type HttpDestination, settingsOf } from "./destination.js";
import { elasticsearchEntries } from "./formats/elasticsearch.js";
import { lokiEntries } from "./formats/loki.js";
import { otlpEntry } from "./formats/otlp.js";

/** Makes the entry of a record: what of a request's body it is, so that a sink only puts entries together. */
export type EntryMaker = (x: Exchange, record: string) => LogEntry;

/** @param keyOf what the module makes of the labels of a stream: JSON; or of the variables in the name of an index */
export function entryMaker(
  destination: Pick<HttpDestination, "format" | "loki" | "elasticsearch">,
  keyOf: ((x: Exchange) => string | undefined) | undefined,
): EntryMaker {
  switch (destination.format) {
    case "json":
    case "ndjson":
    case "clickhouse":
      return (_, record) => ({ payload: flattenRope(record) });
    case "loki": {
      const entry = lokiEntries(settingsOf(destination, "loki"));
      return (x, record) => entry(record, keyOf?.(x) ?? "{}");
    }
    case "elasticsearch":
      return elasticsearchEntries(settingsOf(destination, "elasticsearch"), keyOf);
    case "otlp":
      return (x, record) => otlpEntry(x, record, ambient.now());
  }
}

/** The record in the payload of an entry of any format. Records themselves have no blank after their first brace. */
export function recordIn(payload: string): string {
  if (payload.startsWith('["')) return (JSON.parse(payload) as string[])[1] ?? "";
  if (payload.startsWith('{ "@')) return payload.replace(/^\{ "@timestamp":"[^"]*",?/, "{");
  if (!payload.startsWith("{ ")) return payload;
  return (JSON.parse(payload) as { body: { stringValue: string } }).body.stringValue;
}
