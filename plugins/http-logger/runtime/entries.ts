import { ambient, type Exchange } from "../../../runtime/abi/plugin-api.js";
import type { LogEntry } from "../../../runtime/logging/index.js";
import { type HttpDestination, settingsOf } from "./destination.js";
import { elasticsearchEntries } from "./formats/elasticsearch.js";
import { lokiEntries } from "./formats/loki.js";
import { otlpEntry } from "./formats/otlp.js";

/** Part of a request body, so that a sink only joins entries. */
export type EntryMaker = (x: Exchange, record: string) => LogEntry;

/** @param keyOf JSON of a stream's labels, or the text of the variables in an index name */
export function entryMaker(
  destination: Pick<HttpDestination, "format" | "loki" | "elasticsearch">,
  keyOf: ((x: Exchange) => string | undefined) | undefined,
): EntryMaker {
  switch (destination.format) {
    case "json":
    case "ndjson":
    case "clickhouse":
      return (_, record) => ({ payload: record });
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

/** Works for any format: records have no blank after their first brace. */
export function recordIn(payload: string): string {
  if (payload.startsWith('["')) return (JSON.parse(payload) as string[])[1] ?? "";
  if (payload.startsWith('{ "@')) return payload.replace(/^\{ "@timestamp":"[^"]*",?/, "{");
  if (!payload.startsWith("{ ")) return payload;
  return (JSON.parse(payload) as { body: { stringValue: string } }).body.stringValue;
}
