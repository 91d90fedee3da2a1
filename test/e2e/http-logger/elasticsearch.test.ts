import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entryMaker } from "../../../plugins/http-logger/runtime/entries.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { answers, LogStore, type StoredRequest } from "../../support/log-store.js";
import { bytes, failure, openSink } from "./sending.js";

// A double of Elasticsearch and OpenSearch: it checks the rules of their documentation ("Bulk API", data
// streams) for a request, and responds with their texts.

interface Document {
  id: string | undefined;
  source: Record<string, unknown>;
}

const FILTER = "/_bulk?filter_path=errors,items.*.status,items.*.error.type,items.*.error.reason";

/** The documents of a request. @throws Error if the documentation forbids something in it */
function documents({ method, url, headers, text }: StoredRequest): Document[] {
  if (method !== "POST" || url !== FILTER) throw new Error(`no handler for ${method} ${url}`);
  if (headers["content-type"] !== "application/x-ndjson") throw new Error("Content-Type is not supported");
  if (!text.endsWith("\n")) throw new Error("The bulk request must be terminated by a newline [\\n]");
  const lines = text.slice(0, -1).split("\n");
  if (lines.length % 2 !== 0) throw new Error("an action without its source");
  return lines.flatMap((line, i) => {
    if (i % 2 === 1) return [];
    const { create, ...others } = JSON.parse(line) as { create?: { _index?: string; _id?: string } };
    if (create?._index !== "logs-gwc-default" || Object.keys(others).length > 0) throw new Error(line);
    const source = JSON.parse(lines[i + 1] ?? "") as Record<string, unknown>;
    if (typeof source["@timestamp"] !== "string") throw new Error("data stream timestamp field is missing");
    return [{ id: create._id, source }];
  });
}

describe("http-logger and the Bulk API", () => {
  let store: LogStore;
  let sink: Sink;
  const stored: Document[] = [];
  /** Status of a document by its number; the store itself responds with 201 and 409. */
  let statusOf: (n: unknown) => number;

  beforeEach(async () => {
    stored.length = 0;
    statusOf = () => 201;
    store = await LogStore.start();
    store.usual = bulk;
    const uri = `http://127.0.0.1:${store.port}`;
    sink = openSink({ uri, format: "elasticsearch", elasticsearch: { index: "logs-gwc-default" } });
  });
  afterEach(async () => {
    await sink.close();
    await store.kill();
  });

  function bulk(request: StoredRequest, response: ServerResponse): void {
    const items = documents(request).map((document) => {
      const there = document.id !== undefined && stored.some(({ id }) => id === document.id);
      const status = there ? 409 : statusOf(document.source["n"]);
      if (status === 201) stored.push(document);
      const error = { type: `type_${status}`, reason: `reason of ${document.source["n"]}` };
      return { create: { status, ...(status > 201 && { error }) } };
    });
    const errors = items.some(({ create }) => create.status > 201);
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ errors, items }));
  }

  const entry = entryMaker({ format: "elasticsearch", elasticsearch: { index: "logs" } }, undefined);
  const made = (...records: unknown[]): LogEntry[] =>
    records.map((record) => entry({} as Exchange, bytes(JSON.stringify(record))));
  const numbered = (count: number, ids = false) =>
    made(...Array.from({ length: count }, (_, n) => ({ n, ...(ids && { record_id: `ab12-${n}` }) })));
  const numbers = () => stored.map(({ source }) => source["n"]);

  it("a document has the time of its record or the current one, and the record's id", async () => {
    const own = "2024-01-06T02:30:59+00:00";
    await sink.send(made({ a: "größer" }, { "@timestamp": own }, { b: 1, record_id: "ab12-z" }, {}));
    const now = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(stored).toEqual([
      { id: undefined, source: { "@timestamp": now, a: "größer" } },
      { id: undefined, source: { "@timestamp": own } },
      { id: "ab12-z", source: { "@timestamp": now, b: 1, record_id: "ab12-z" } },
      { id: undefined, source: { "@timestamp": now } },
    ]);
  });

  it("a retry holds only the documents that were rejected with 429", async () => {
    let tries = 0;
    statusOf = (n) => (n === 1 || n === 3 ? (tries++ < 2 ? 429 : 201) : 201);
    await sink.send(numbered(5));
    expect(store.requests.map((request) => documents(request).map(({ source }) => source["n"]))).toEqual([
      [0, 1, 2, 3, 4],
      [1, 3],
    ]);
    expect(numbers()).toEqual([0, 2, 4, 1, 3]);
  });

  it("a document rejected with 400 is refused for good, and one rejected with 503 is sent again", async () => {
    let tries = 0;
    statusOf = (n) => (n === 0 ? 400 : n === 2 && tries++ === 0 ? 503 : 201);
    const error = await failure(sink.send(numbered(4)));
    expect(error).toMatchObject({ delivered: 4, refused: [0] });
    expect(error.message).toContain("1 record rejected: item failed with 400: type_400 reason of 0");
    expect(numbers()).toEqual([1, 3, 2]);
    expect(store.requests).toHaveLength(2);
  });

  it("a document that is stored in a later delivery is stored once", async () => {
    statusOf = (n) => (n === 1 ? 429 : 201);
    const batch = numbered(4);
    const error = await failure(sink.send(batch));
    expect(error).toMatchObject({ delivered: 1, refused: [] });
    expect(error.message).toContain("item failed with 429: type_429 reason of 1");
    statusOf = () => 201;
    await sink.send(batch.slice(error.delivered));
    expect(numbers()).toEqual([0, 2, 3, 1]);
  });

  it("a lost response leads to no duplicate document", async () => {
    store.next.push((request, response) => {
      stored.push(...documents(request));
      response.destroy();
    });
    await sink.send(numbered(10, true));
    expect(store.requests).toHaveLength(2);
    expect(numbers()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each([
    ["no JSON", "{"],
    ["an answer of something else", '{"acknowledged":true}'],
    ["null", "null"],
    ["items without a status", '{"errors":true,"items":[{"create":{}},null]}'],
    ["another number of items", '{"errors":true,"items":[{"create":{"status":201}}]}'],
    ["more than anybody reads", `{"errors":false,"pad":"${"x".repeat(10_485_760)}"}`],
  ])("a bulk request is sent again after a 200 with %s", async (_, text) => {
    store.next.push(answers(200, text));
    await sink.send(numbered(3, true));
    expect(store.requests).toHaveLength(2);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it("a bulk request is sent again if its response is cut", async () => {
    store.next.push((_, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write('{"errors":false', () => response.destroy());
    });
    await sink.send(numbered(3, true));
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it("a 429 or 401 for the whole bulk request refuses no record", async () => {
    store.usual = answers(429, '{"error":{"type":"es_rejected_execution_exception"}}');
    expect(await failure(sink.send(numbered(2)))).toMatchObject({ delivered: 0, refused: [] });
    store.usual = answers(401, '{"error":{"type":"security_exception"}}');
    expect(await failure(sink.send(numbered(2)))).toMatchObject({ delivered: 0, refused: [] });
  });
});
