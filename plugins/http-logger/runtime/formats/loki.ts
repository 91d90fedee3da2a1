import type { LogEntry } from "../../../../runtime/logging/index.js";
import type { LokiStreams } from "../destination.js";
import type { BodyFormat } from "./format.js";

/**
 * `POST /loki/api/v1/push` (docs/sources/reference/loki-http-api.md, "Ingest logs"): streams of values, each
 * `["<nanoseconds since 1970>", "<line>"]`. An entry's payload is its value, its key the labels of its
 * stream.
 */

const ANSWER_BYTES = 16_384;
const OTHER = "other";
/** Number per millisecond. */
const NANOSECONDS = 1_000_000;

export function lokiEntries({
  maxStreams,
  varying,
}: LokiStreams): (record: string, labels: string) => LogEntry {
  const known = new Set<string>();
  // Loki drops lines with equal labels and time. So the digits below milliseconds number the records, equally
  // in all copies of a record. Workers start at random numbers.
  let number = Math.floor(Math.random() * NANOSECONDS);
  return (record, labels) => {
    number = (number + 1) % NANOSECONDS;
    const time = `${Date.now()}${String(number).padStart(6, "0")}`;
    let key = labels;
    if (!known.has(key)) {
      if (known.size < maxStreams) known.add(key);
      else key = withOthers(key, varying);
    }
    return { payload: `["${time}",${JSON.stringify(record)}]`, key };
  };
}

/** Stream that receives all records once the limit is reached. */
function withOthers(labels: string, varying: readonly string[]): string {
  const all = JSON.parse(labels) as Record<string, unknown>;
  for (const name of varying) if (Object.hasOwn(all, name)) all[name] = OTHER;
  return JSON.stringify(all);
}

export const loki: BodyFormat = {
  contentType: "application/json",
  path: "/loki/api/v1/push",
  answerBytes: ANSWER_BYTES,
  body(entries) {
    const streams = new Map<string, string[]>();
    for (const { key = "{}", payload } of entries) {
      const values = streams.get(key);
      if (values === undefined) streams.set(key, [payload]);
      else values.push(payload);
    }
    const texts = Array.from(
      streams,
      ([labels, values]) => `{"stream":${texted(labels)},"values":[${values.join(",")}]}`,
    );
    return `{"streams":[${texts.join(",")}]}`;
  },
};

/** Converts labels to strings and drops empty ones. */
function texted(labels: string): string {
  const all = Object.entries(JSON.parse(labels) as Record<string, unknown>);
  const texts = all.map(([name, value]) => [name, String(value)] as const);
  return JSON.stringify(Object.fromEntries(texts.filter(([, value]) => value !== "")));
}
