import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { entryMaker } from "../../../plugins/http-logger/runtime/entries.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { OpenSearch, openSearchAbsent } from "../../support/open-search.js";
import { bytes, failure, openSink, upTo } from "./sending.js";

const absent = openSearchAbsent();

describe.skipIf(absent !== undefined)(`OpenSearch${absent ? ` (${absent})` : ""}`, () => {
  let server: OpenSearch;
  let sink: Sink;
  beforeAll(async () => {
    server = await OpenSearch.start();
  });
  afterEach(() => sink.close());
  afterAll(() => server?.stop());

  const open = (index: string) => {
    const uri = `http://127.0.0.1:${server.port}`;
    sink = openSink({
      uri,
      format: "elasticsearch",
      elasticsearch: { index },
      compression: "gzip",
      timeoutMs: 20_000,
    });
  };
  const entry = entryMaker({ format: "elasticsearch", elasticsearch: { index: "logs" } }, undefined);
  const made = (...records: unknown[]): LogEntry[] =>
    records.map((record) => entry({} as Exchange, bytes(JSON.stringify(record))));
  const numbered = (count: number) => made(...upTo(count).map((n) => ({ n, record_id: `ab12-${n}` })));

  it("OpenSearch stores each record once under its record_id, although its batch is sent twice", async () => {
    open("logs-gwc-default");
    await sink.send(numbered(1_000));
    await sink.send(numbered(1_000));
    const stored = await server.documents("logs-gwc-default");
    expect([...stored.values()].map(({ n }) => n).sort((a, b) => Number(a) - Number(b))).toEqual(upTo(1_000));
    expect(stored.get("ab12-7")).toEqual({
      "@timestamp": expect.stringMatching(/^\d{4}-.*Z$/),
      n: 7,
      record_id: "ab12-7",
    });
  });

  it("OpenSearch stores records in a data stream", async () => {
    await server.ask("PUT", "/_index_template/gwc", {
      index_patterns: ["shop-stream"],
      data_stream: {},
      priority: 500,
    });
    open("shop-stream");
    await sink.send(made({ text: "größer", record_id: "ab12-a" }, { record_id: "ab12-b" }));
    const stored = await server.documents("shop-stream");
    expect(stored.get("ab12-a")).toMatchObject({ text: "größer" });
    expect(stored.size).toBe(2);
  });

  it("a record that does not fit the mapping is refused for good, and the others are stored", async () => {
    await server.ask("PUT", "/strict", { mappings: { properties: { n: { type: "integer" } } } });
    open("strict");
    const error = await failure(sink.send(made({ n: 1 }, { n: "many" }, { n: 2 })));
    expect(error).toMatchObject({ delivered: 3, refused: [1] });
    expect(error.message).toMatch(
      /1 record rejected: item failed with 400: mapper_parsing_exception failed to parse/,
    );
    expect([...(await server.documents("strict")).values()].map(({ n }) => n).sort()).toEqual([1, 2]);
  });

  it("an index that blocks writes refuses no record, and the batch is stored later", async () => {
    await server.ask("PUT", "/closed", {});
    await server.ask("PUT", "/closed/_settings", { "index.blocks.read_only_allow_delete": true });
    open("closed");
    const batch = made({ n: 1, record_id: "ab12-1" });
    expect(await failure(sink.send(batch))).toMatchObject({ delivered: 0, refused: [] });
    await server.ask("PUT", "/closed/_settings", { "index.blocks.read_only_allow_delete": null });
    await sink.send(batch);
    expect((await server.documents("closed")).size).toBe(1);
  });
});
