import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entryMaker } from "../../../plugins/http-logger/runtime/entries.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { LogStore, type StoredRequest } from "../../support/log-store.js";
import { bytes, failure, openSink } from "./sending.js";

// A double of Loki: it checks the rules of its documentation ("Loki HTTP API", Ingest logs) for a push, and
// responds with its texts.

interface Push {
  streams: { stream: Record<string, string>; values: [string, string][] }[];
}

/** Reason for which Loki would reject the request; undefined if it would accept it. */
function fault({ method, url, headers, text }: StoredRequest): string | undefined {
  if (method !== "POST" || url !== "/loki/api/v1/push") return "no such endpoint";
  if (headers["content-type"] !== "application/json") return "content type";
  const { streams, ...rest } = JSON.parse(text) as Push;
  if (Object.keys(rest).length > 0 || !Array.isArray(streams) || streams.length === 0) return "no streams";
  const labels = new Set(streams.map(({ stream }) => JSON.stringify(stream)));
  if (labels.size < streams.length) return "a stream twice";
  for (const { stream, values } of streams) {
    const pairs = Object.entries(stream);
    if (pairs.length === 0) return "error at least one label pair is required per stream";
    for (const [name, value] of pairs) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return `label ${name}`;
      if (typeof value !== "string" || value === "") return `value of ${name}`;
    }
    for (const value of values) {
      if (value.length !== 2 || value.some((part) => typeof part !== "string")) return "value";
      if (!/^\d{19}$/.test(value[0])) return "timestamp";
    }
  }
  return undefined;
}

describe("a double of Loki", () => {
  let store: LogStore;
  let sink: Sink;
  beforeEach(async () => {
    store = await LogStore.start();
    store.usual = (request, response) => {
      const why = fault(request);
      response.writeHead(why === undefined ? 204 : 400).end(why);
    };
    sink = openSink({ uri: `http://127.0.0.1:${store.port}`, format: "loki", compression: "gzip" });
  });
  afterEach(async () => {
    await sink.close();
    await store.kill();
  });

  /** Entries of records and labels, as a worker makes them. */
  function made(records: readonly [record: string, labels: string][], maxStreams = 100): LogEntry[] {
    let labels = "";
    const loki = { maxStreams, varying: ["route", "status"] };
    const entry = entryMaker({ format: "loki", loki }, () => labels);
    return records.map(([record, of]) => {
      labels = of;
      return entry({} as Exchange, bytes(record));
    });
  }
  const pushed = () => store.texts.map((text) => JSON.parse(text) as Push);

  it("Loki receives one stream for each combination of labels, with records in order and with their time", async () => {
    const before = Date.now();
    await sink.send(
      made([
        ['{"a":"größer \\"x\\""}', '{"job":"gwc","status":200}'],
        ['{"b":1}', '{"job":"gwc","status":404}'],
        ['{"c":1}', '{"job":"gwc","status":200}'],
      ]),
    );
    const [{ streams } = { streams: [] }] = pushed();
    expect(streams.map(({ stream }) => stream)).toEqual([
      { job: "gwc", status: "200" },
      { job: "gwc", status: "404" },
    ]);
    expect(streams.map(({ values }) => values.map(([, line]) => line))).toEqual([
      ['{"a":"größer \\"x\\""}', '{"c":1}'],
      ['{"b":1}'],
    ]);
    const times = streams.flatMap(({ values }) => values.map(([time]) => time));
    for (const time of times) {
      expect(Number(time.slice(0, 13))).toBeGreaterThanOrEqual(before);
      expect(Number(time.slice(0, 13))).toBeLessThanOrEqual(Date.now());
    }
  });

  it("equal records of one millisecond have different times, and a retry repeats them", async () => {
    const batch = made(Array.from({ length: 500 }, () => ['{"a":1}', '{"job":"gwc"}']));
    store.next.push((_, response) => void response.destroy());
    await sink.send(batch);
    const [first, second] = pushed();
    const times = second?.streams[0]?.values.map(([time]) => time) ?? [];
    expect(new Set(times).size).toBe(500);
    expect(first).toEqual(second);
  });

  it("Loki receives at most max_streams streams, and further records under the label other", async () => {
    const records = Array.from(
      { length: 50 },
      (_, n) => ["{}", `{"job":"gwc","route":"r${n}"}`] as [string, string],
    );
    await sink.send(made([...records, ...records], 10));
    const [{ streams } = { streams: [] }] = pushed();
    expect(streams).toHaveLength(11);
    const others = streams.find(({ stream }) => stream["route"] === "other");
    expect(others?.stream).toEqual({ job: "gwc", route: "other" });
    expect(others?.values).toHaveLength(80);
  });

  it("a label without a value is omitted", async () => {
    await sink.send(made([["{}", '{"job":"gwc","route":""}']]));
    expect(pushed()[0]?.streams[0]?.stream).toEqual({ job: "gwc" });
  });

  it("a push is sent again after 429, and records that Loki calls invalid are refused for good", async () => {
    store.next.push((_, response) => void response.writeHead(429).end("Ingestion rate limit exceeded"));
    await sink.send(made([["{}", '{"job":"gwc"}']]));
    expect(store.requests).toHaveLength(2);
    const error = await failure(sink.send(made([["{}", "{}"]])));
    expect(error).toMatchObject({ delivered: 1, refused: [0] });
    expect(error.message).toContain("at least one label pair is required");
  });

  it("a push is sent to the path of the uri", async () => {
    await sink.close();
    sink = openSink({ uri: `http://127.0.0.1:${store.port}/tenant/push`, format: "loki" });
    store.usual = (_, response) => void response.writeHead(204).end();
    await sink.send(made([["{}", '{"job":"gwc"}']]));
    expect(store.requests[0]?.url).toBe("/tenant/push");
  });
});
