import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entryMaker } from "../../../plugins/http-logger/runtime/entries.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { answers, LogStore, type StoredRequest } from "../../support/log-store.js";
import { bytes, failure, openSink } from "./sending.js";

// A double of a collector: it checks the rules of the protocol (OTLP/HTTP, JSON Protobuf encoding;
// logs/v1/logs.proto) field by field, and responds with its texts.

interface AnyValue {
  stringValue?: string;
  intValue?: string;
}
interface KeyValue {
  key: string;
  value: AnyValue;
}
interface LogRecord {
  timeUnixNano: string;
  observedTimeUnixNano: string;
  severityNumber: number;
  severityText: string;
  body: AnyValue;
  attributes: KeyValue[];
}
interface ExportLogs {
  resourceLogs: {
    resource: { attributes: KeyValue[] };
    scopeLogs: { scope: { name: string; version: string }; logRecords: LogRecord[] }[];
  }[];
}

const RECORD = [
  "attributes",
  "body",
  "observedTimeUnixNano",
  "severityNumber",
  "severityText",
  "timeUnixNano",
];

/** Log records of a request. @throws Error if the protocol forbids something in it */
function exported({ method, url, headers, text }: StoredRequest): ExportLogs {
  expect([method, url, headers["content-type"]]).toEqual(["POST", "/v1/logs", "application/json"]);
  const all = JSON.parse(text) as ExportLogs;
  expect(Object.keys(all)).toEqual(["resourceLogs"]);
  const records = all.resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap(({ logRecords }) => logRecords),
  );
  for (const record of records) {
    expect(Object.keys(record).sort()).toEqual(RECORD);
    // JSON holds a fixed64 as a decimal text.
    for (const time of [record.timeUnixNano, record.observedTimeUnixNano]) expect(time).toMatch(/^\d{19}$/);
    for (const { key, value } of record.attributes) {
      expect(key).not.toBe("");
      expect(Object.keys(value)).toHaveLength(1);
      if (value.intValue !== undefined) expect(value.intValue).toMatch(/^-?\d+$/);
    }
    expect(new Set(record.attributes.map(({ key }) => key)).size).toBe(record.attributes.length);
  }
  return all;
}

describe("a double of an OTLP/HTTP collector", () => {
  let store: LogStore;
  let sink: Sink;
  beforeEach(async () => {
    store = await LogStore.start();
    store.usual = answers(200, "{}", { "Content-Type": "application/json" });
    const otlp = { resource: { "service.name": "größer" } };
    sink = openSink({ uri: `http://127.0.0.1:${store.port}`, format: "otlp", otlp, compression: "gzip" });
  });
  afterEach(async () => {
    await sink.close();
    await store.kill();
  });

  const entry = entryMaker({ format: "otlp" }, undefined);
  const made = (status: number, record = "{}"): LogEntry =>
    entry({ method: "GET", uri: "/a\xff", routeId: "shop", response: { status } } as Exchange, bytes(record));

  it("a request holds one resource, one scope and a log record for each request", async () => {
    await sink.send([made(200, '{"a":"größer"}'), made(404), made(503)]);
    const [request] = store.requests;
    const { resourceLogs } = exported(request as StoredRequest);
    expect(resourceLogs).toHaveLength(1);
    const [{ resource, scopeLogs } = {} as never] = resourceLogs;
    expect(resource.attributes).toEqual([
      { key: "host.name", value: { stringValue: hostname() } },
      { key: "service.name", value: { stringValue: "größer" } },
    ]);
    expect(scopeLogs.map(({ scope }) => scope.name)).toEqual(["gwc"]);
    const records = scopeLogs[0]?.logRecords ?? [];
    expect(records.map(({ severityNumber, severityText }) => [severityNumber, severityText])).toEqual([
      [9, "INFO"],
      [13, "WARN"],
      [17, "ERROR"],
    ]);
    expect(records[0]).toMatchObject({
      body: { stringValue: '{"a":"größer"}' },
      attributes: [
        { key: "http.request.method", value: { stringValue: "GET" } },
        { key: "url.path", value: { stringValue: "/a\ufffd" } },
        { key: "http.response.status_code", value: { intValue: "200" } },
        { key: "gwc.route.id", value: { stringValue: "shop" } },
      ],
    });
  });

  it.each([
    ["2", [1, 2]],
    [2, [1, 2]],
    ["99", [0, 1, 2]],
  ])(
    "a partial success with %j rejected records refuses them for good and sends nothing again",
    async (rejected, refused) => {
      const partialSuccess = { rejectedLogRecords: rejected, errorMessage: "too old" };
      store.usual = answers(200, JSON.stringify({ partialSuccess }));
      const error = await failure(sink.send([made(200), made(200), made(200)]));
      expect(error).toMatchObject({ delivered: 3, refused });
      expect(error.message).toContain("records rejected: partial success: too old");
      expect(store.requests).toHaveLength(1);
    },
  );

  it.each([
    "",
    "{}",
    '{"partialSuccess":{}}',
    '{"partialSuccess":{"errorMessage":"slow down"}}',
    "no JSON",
    "null",
  ])("a 200 with %j accepts all records", async (text) => {
    store.usual = answers(200, text);
    await sink.send([made(200)]);
    expect(store.requests).toHaveLength(1);
  });

  it("a request is sent again after 503, by Retry-After", async () => {
    store.next.push(answers(503, "", { "Retry-After": "1" }));
    const before = performance.now();
    await sink.send([made(200)]);
    expect(performance.now() - before).toBeGreaterThan(950);
    expect(store.requests).toHaveLength(2);
  });
});
