import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sink } from "../../../runtime/abi/delivery.js";
import { answers, LogStore, type StoredRequest } from "../../support/log-store.js";
import { entries, failure, numbered, openSink, upTo } from "./sending.js";

// A double of ClickHouse: it checks the rules of its documentation ("HTTP Interface", "JSONEachRow",
// "Asynchronous inserts") for an insert, stores it whole or not at all, and responds with its texts.

type Row = Record<string, unknown>;

/** The rows of an insert. @throws Error if something is missing */
function rows({ method, url, headers, text }: StoredRequest): Row[] {
  const { pathname, searchParams } = new URL(url, "http://clickhouse");
  if (method !== "POST" || pathname !== "/") throw new Error(`${method} ${pathname}`);
  const settings = Object.fromEntries(searchParams);
  expect(settings).toEqual({
    query: "INSERT INTO logs.requests FORMAT JSONEachRow",
    async_insert: "1",
    wait_for_async_insert: "1",
    date_time_input_format: "best_effort",
    max_insert_threads: "2",
  });
  expect(headers["x-clickhouse-key"]).toBe("passw0rd");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

describe("a double of ClickHouse", () => {
  let store: LogStore;
  let sink: Sink;
  const table: Row[] = [];
  beforeEach(async () => {
    table.length = 0;
    store = await LogStore.start();
    store.usual = (request, response) => {
      const insert = rows(request);
      const bad = insert.find(({ n }) => typeof n !== "number");
      if (bad === undefined) table.push(...insert);
      response.writeHead(bad === undefined ? 200 : 400);
      response.end(bad && "Code: 27. DB::Exception: Cannot parse input: expected '\"' before n");
    };
    sink = openSink({
      uri: `http://127.0.0.1:${store.port}/?max_insert_threads=2`,
      headers: { "X-ClickHouse-Key": "secret:passw0rd" },
      format: "clickhouse",
      clickhouse: { database: "logs", table: "requests" },
    });
  });
  afterEach(async () => {
    await sink.close();
    await store.kill();
  });

  const stored = () => table.map(({ n }) => n);

  it("the http-logger sends one insert with a row for each record", async () => {
    await sink.send(numbered(0, 100));
    expect(store.requests).toHaveLength(1);
    expect(stored()).toEqual(upTo(100));
  });

  it("the http-logger isolates a row that ClickHouse cannot parse and delivers all others once", async () => {
    const batch = [...numbered(0, 37), ...entries({ n: "many" }), ...numbered(37, 63)];
    const error = await failure(sink.send(batch));
    expect(error).toMatchObject({ delivered: 101, refused: [37] });
    expect(error.message).toContain("1 record rejected: responded with 400: Code: 27. DB::Exception");
    expect(stored()).toEqual(upTo(100));
  });

  it("the http-logger sends fewer than 150 inserts if ClickHouse can parse none of 1,000 rows", async () => {
    const batch = entries(...upTo(1_000).map((n) => ({ n: `no number ${n}` })));
    const error = await failure(sink.send(batch));
    expect(error.refused).toEqual(upTo(1_000));
    expect(store.requests.length).toBeLessThan(150);
  });

  it("an insert is sent again if ClickHouse reports an exception after a 200", async () => {
    store.next.push(answers(200, "Code: 241. DB::Exception", { "X-ClickHouse-Exception-Code": "241" }));
    await sink.send(numbered(0, 2));
    expect(store.requests).toHaveLength(2);
    expect(stored()).toEqual([0, 1]);
  });

  it.each([
    [403, "Code: 516. DB::Exception: gateway: Authentication failed"],
    [404, "Code: 60. DB::Exception: Table logs.requests does not exist"],
    [500, "Code: 252. DB::Exception: Too many parts"],
  ])("a ClickHouse response of %d (%s) refuses no record for good", async (status, text) => {
    store.usual = answers(status, text);
    expect(await failure(sink.send(numbered(0, 2)))).toMatchObject({ delivered: 0, refused: [] });
  });
});
