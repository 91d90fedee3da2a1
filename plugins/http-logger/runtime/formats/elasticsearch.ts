import { ambient, type Exchange } from "../../../../runtime/abi/plugin-api.js";
import type { LogEntry } from "../../../../runtime/logging/index.js";
import type { Answer } from "../endpoint.js";
import { quotation, type Verdict } from "../verdict.js";
import type { BodyFormat } from "./format.js";
import { type IndexSettings, indexNames } from "./index-names.js";

/**
 * Elasticsearch and OpenSearch, "Bulk API": an action line and a document line each. The response has a
 * status for each. `create` is the action that data streams accept.
 */
const PATH = "/_bulk";
/** Only the status of each item, and its error: 60 bytes instead of 250. */
const QUERY = "filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason";
/** A response for 1000 failed items has half a megabyte. */
const ANSWER_BYTES = 2_097_152;
const RECORD_ID = /"record_id":"([0-9a-z-]+)"\}$/;
/** The document exists: with its id, it came with a request whose response was lost. */
const THERE = 409;

/** Adds `@timestamp`, which data streams require. The blank marks the addition: records have none there. */
function elasticsearchEntry(record: string, now: number): LogEntry {
  if (record.includes('"@timestamp":')) return { payload: record };
  const comma = record.length > 2 ? "," : "";
  return { payload: `{ "@timestamp":"${new Date(now).toISOString()}"${comma}${record.slice(1)}` };
}

/** The key is the index name, if it varies: a record that is sent again keeps its index. */
export function elasticsearchEntries(
  settings: IndexSettings,
  keyOf: ((x: Exchange) => string | undefined) | undefined,
): (x: Exchange, record: string) => LogEntry {
  if (keyOf === undefined && !settings.index.includes("%"))
    return (_, record) => elasticsearchEntry(record, ambient.now());
  const name = indexNames(settings);
  return (x, record) => {
    const now = ambient.now();
    return { ...elasticsearchEntry(record, now), key: name(now, keyOf?.(x)) };
  };
}

export function elasticsearch(index: string): BodyFormat {
  const head = (name: string) => `{"create":{"_index":${JSON.stringify(name)}`;
  const usual = head(index);
  return {
    contentType: "application/x-ndjson",
    path: PATH,
    query: QUERY,
    answerBytes: ANSWER_BYTES,
    body: (entries) =>
      entries
        .map(({ key, payload }) => `${key === undefined ? usual : head(key)}${idOf(payload)}}}\n${payload}\n`)
        .join(""),
    verdict: (answer, entries, byStatus, clean) =>
      byStatus.kind === "taken" ? ofItems(answer, entries.length, clean) : byStatus,
  };
}

/** Document id of the record: a copy is rejected as a duplicate, and none is stored twice. */
function idOf(payload: string): string {
  const [, id] = RECORD_ID.exec(payload) ?? [];
  return id === undefined ? "" : `,"_id":"${id}"`;
}

interface Item {
  readonly status: number;
  readonly error?: { readonly type?: unknown; readonly reason?: unknown };
}

function ofItems({ text, whole }: Answer, count: number, clean: (text: string) => string): Verdict {
  const answer = whole ? bulkAnswer(text) : undefined;
  if (answer === undefined)
    return { kind: "again", because: `the response to _bulk cannot be parsed${quotation(text, clean)}` };
  if (!answer.errors) return { kind: "taken" };
  if (answer.items.length !== count)
    return {
      kind: "again",
      because: `the response to _bulk covers ${answer.items.length} of ${count} records`,
    };
  const refused: number[] = [];
  const again: number[] = [];
  for (const [i, { status }] of answer.items.entries()) {
    if (status === 429 || status >= 500) again.push(i);
    else if (status >= 300 && status !== THERE) refused.push(i);
  }
  const why = (at: number | undefined) => (at === undefined ? "" : reason(answer.items[at] as Item, clean));
  return { kind: "taken", refused, again, because: why(refused[0]), later: why(again[0]) };
}

function reason({ status, error }: Item, clean: (text: string) => string): string {
  const parts = [error?.type, error?.reason].filter((part) => typeof part === "string");
  return `item failed with ${status}${quotation(parts.join(" "), clean)}`;
}

/** @returns undefined if the text is not a response of the Bulk API */
function bulkAnswer(text: string): { errors: boolean; items: Item[] } | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { errors, items = [] } = (answer ?? {}) as { errors?: unknown; items?: unknown };
  if (typeof errors !== "boolean" || !Array.isArray(items)) return undefined;
  const read = items.flatMap((item: unknown) => Object.values(item ?? {}) as (Item | null)[]);
  return read.every((item): item is Item => typeof item?.status === "number")
    ? { errors, items: read }
    : undefined;
}
