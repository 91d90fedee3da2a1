import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { RecordView } from "../../../runtime/abi/log.js";
import { recordText } from "../../../runtime/abi/text/record-text.js";
import { temporaryDirectory } from "../../support/cli.js";
import { finishedExchange, GET, wholeBody } from "../../support/finished-exchange.js";
import { BATCH, ManualSink, ReadySink } from "../../support/log-harness.js";
import { openedLogger } from "../../support/logger-harness.js";
import { flushPromises } from "../../support/simulated-clock.js";

const directories: { path: string; remove: () => void }[] = [];
afterEach(() => {
  for (const { remove } of directories.splice(0)) remove();
});
function spoolDirectory(): string {
  const made = temporaryDirectory();
  directories.push(made);
  return made.path;
}

interface Shown {
  [name: string]: unknown;
  request: Record<string, unknown>;
  response: Record<string, unknown>;
}
const shown = (text: string | undefined) => JSON.parse(text ?? "") as Shown;
const gzipped = (text: string) => gzipSync(text).toString("latin1");

describe("the record of a logger", () => {
  const metadata = (record?: (x: unknown, bodies: RecordView) => string, extra = {}) => ({
    id: "test-logger",
    settings: {},
    ...(record === undefined ? {} : { record }),
    extra: () => extra,
  });

  it("[log.service.7] a logger uses its own format, else that of the metadata, else the default record", async () => {
    const sink = new ReadySink();
    const own = openedLogger(sink, { record: () => '{"own":1}' }).logger;
    const plain = openedLogger(sink).logger;
    const x = finishedExchange({ metadata: metadata(() => '{"metadata":1}') });
    own.log(x);
    plain.log(x);
    plain.log(finishedExchange());
    await flushPromises();
    expect(sink.batches.flat().slice(0, 2)).toEqual(['{"own":1}', '{"metadata":1}']);
    expect(shown(sink.batches.flat()[2])).toMatchObject({ route_id: "r1", client_ip: "192.0.2.7" });
  });

  it("a logger adds its own extra fields to the default record, else those of the metadata", () => {
    const sink = new ReadySink();
    const x = finishedExchange({ metadata: metadata(undefined, { env: "metadata" }) });
    openedLogger(sink, { extra: () => ({ env: "own" }) }).logger.log(x);
    openedLogger(sink).logger.log(x);
    expect(sink.batches.flat().map((text) => shown(text)["env"])).toEqual(["own", "metadata"]);
  });

  it("a logger uses the metadata of each request", async () => {
    const sink = new ReadySink();
    const { logger } = openedLogger(sink);
    for (const name of ["one", "two"])
      logger.log(finishedExchange({ metadata: metadata(() => `{"format":"${name}"}`) }));
    logger.log(finishedExchange());
    await flushPromises();
    expect(sink.batches.flat().map((text) => shown(text)["format"])).toEqual(["one", "two", undefined]);
  });

  it("a logger with record_id gives each record a unique id", async () => {
    const sink = new ReadySink();
    const { logger } = openedLogger(sink, { recordId: true });
    const empty = openedLogger(sink, { recordId: true, record: () => "{}" }).logger;
    logger.log(finishedExchange());
    logger.log(finishedExchange());
    empty.log(finishedExchange());
    await flushPromises();
    const ids = sink.batches.flat().map((text) => shown(text)["record_id"]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  });

  it("[log.broker.meta_format] [log.record.text.2] a record of the origin format is the text of the request with redacted secrets", () => {
    const sink = new ReadySink();
    const { logger } = openedLogger(sink, { metaFormat: "origin", requestBody: { maxBytes: 100 } });
    logger.log(
      finishedExchange({
        request:
          "POST /a?jwt=x&b=1 HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nReferer: /z?JWT=x\r\nAUTHORIZATION: y\r\nContent-Length: 4\r\nX-Two: 2\r\n\r\n",
        requestBody: wholeBody("b\xffdy"),
      }),
    );
    expect(sink.batches[0]).toEqual([
      "POST /a?jwt=***&b=1 HTTP/1.1\r\nHost: h\r\nX-Two: 1\r\nReferer: /z?JWT=***\r\nAUTHORIZATION: ***\r\nX-Two: 2\r\nContent-Length: 4\r\n\r\nb\xffdy",
    ]);
  });

  it("a record of the origin format has no body unless it is included", () => {
    const sink = new ReadySink();
    openedLogger(sink, { metaFormat: "origin" }).logger.log(
      finishedExchange({ requestBody: wholeBody("body") }),
    );
    expect(sink.batches[0]).toEqual([GET]);
  });
});

describe("bodies in records", () => {
  const BOTH = { requestBody: { maxBytes: 20 }, responseBody: { maxBytes: 20 } };

  it("a logger captures bodies only as its settings ask, with their limits", () => {
    const asked: unknown[] = [];
    const x = finishedExchange();
    x.captureRequest = (...all) => asked.push(["request", ...all]);
    x.captureResponse = (...all) => asked.push(["response", ...all]);
    const { logger } = openedLogger(new ReadySink(), { requestBody: { maxBytes: 7 } });
    logger.access(x);
    logger.headerFilter(x);
    expect(asked).toEqual([["request", logger, 7]]);
  });

  it("a default record contains the captured bodies", () => {
    const sink = new ReadySink();
    openedLogger(sink, BOTH).logger.log(
      finishedExchange({ requestBody: wholeBody("question"), responseBody: wholeBody("answer") }),
    );
    const record = shown(sink.batches[0]?.[0]);
    expect([record.request["body"], record.response["body"]]).toEqual(["question", "answer"]);
  });

  it("a default record has no body if the body was empty or not captured", () => {
    const sink = new ReadySink();
    openedLogger(sink, BOTH).logger.log(finishedExchange({ requestBody: wholeBody("") }));
    const record = shown(sink.batches[0]?.[0]);
    expect(record.request).not.toHaveProperty("body");
    expect(record.response).not.toHaveProperty("body");
  });

  it("a logger decodes a body after the log phase has returned, and truncates it to the limit", async () => {
    const sink = new ReadySink();
    const { logger, opened } = openedLogger(sink, BOTH);
    logger.log(finishedExchange({ responseBody: wholeBody(gzipped("x".repeat(1_000)), "gzip") }));
    expect(sink.batches).toEqual([]);
    await opened.drain(5_000);
    const record = shown(sink.batches[0]?.[0]);
    expect(record.response).toMatchObject({ body: "x".repeat(20), body_truncated: true });
  });

  it("a custom format receives bodies as decoded, valid UTF-8", async () => {
    const sink = new ReadySink();
    const record = (_: unknown, bodies: RecordView) =>
      recordText({ in: bodies.request, out: bodies.response });
    const { logger, opened } = openedLogger(sink, { ...BOTH, record });
    logger.log(
      finishedExchange({ requestBody: wholeBody(gzipped("text"), "gzip"), responseBody: wholeBody("\xff") }),
    );
    await opened.drain(5_000);
    expect(sink.batches[0]).toEqual(['{"in":"text","out":"\xef\xbf\xbd"}']);
  });
});

describe("the limits of a logger", () => {
  it("a logger reports an error of its format and does not throw", () => {
    const { logger, reports } = openedLogger(new ReadySink(), {
      record: () => {
        throw new Error("no such field");
      },
    });
    logger.log(finishedExchange());
    expect(reports).toEqual([
      { event: "log_failed", fields: { plugin: "test-logger", route: "r1", message: "no such field" } },
    ]);
  });

  it("a logger does not wait, and drops records beyond max_pending_entries", () => {
    const { logger, metrics } = openedLogger(new ManualSink(), {
      batch: { ...BATCH, batchMaxSize: 1, maxPendingEntries: 2 },
    });
    for (let i = 0; i < 5; i++) logger.log(finishedExchange());
    const dropped = metrics.snapshot().find(({ name }) => name === "gw_log_entries_dropped_total");
    expect(dropped?.series).toMatchObject([{ labels: { reason: "buffer_overflow" }, value: 3 }]);
  });

  it("[log.metadata.broker-logger.max_pending_entries] a logger drops records beyond max_pending_entries of the metadata", () => {
    const { logger, metrics } = openedLogger(new ManualSink());
    const metadata = { id: "test-logger", settings: { max_pending_entries: 1 } };
    for (let i = 0; i < 5; i++) logger.log(finishedExchange({ metadata }));
    const dropped = metrics.snapshot().find(({ name }) => name === "gw_log_entries_dropped_total");
    expect(dropped?.series[0]?.value).toBe(4);
  });
});

describe("a durable logger", () => {
  const DURABLE = {
    delivery: "durable",
    spool: { maxBytes: 10_000_000, onFull: "refuse" },
  } as const;

  it("a durable logger with ack: response delays the end of the response until the record is on disk", async () => {
    const { logger, opened, metrics } = openedLogger(
      new ReadySink(),
      { ...DURABLE, ack: "response" },
      spoolDirectory(),
    );
    const x = finishedExchange();
    logger.rejectIfFull(x);
    expect(x.answered).toBe(false);
    logger.acknowledge(x);
    expect(x.heldUntil).toBeInstanceOf(Promise);
    await x.heldUntil;
    logger.log(x);
    await opened.drain(1_000);
    const spooled = metrics.snapshot().find(({ name }) => name === "gw_log_entries_spooled_total");
    expect(spooled?.series[0]?.value).toBe(1);
  });

  it("a durable logger with ack: response answers 503 if the spool is full, and counts the record as dropped", async () => {
    const { logger, opened, metrics } = openedLogger(
      new ReadySink(),
      {
        ...{ ...DURABLE, ack: "response", record: () => `"${"x".repeat(950)}"` },
        spool: { maxBytes: 1_020, onFull: "refuse" },
      },
      spoolDirectory(),
    );
    const [first, second] = [finishedExchange(), finishedExchange()];
    logger.rejectIfFull(first);
    expect(first.answered).toBe(false);
    logger.acknowledge(first);
    await first.heldUntil;
    logger.rejectIfFull(second);
    expect(second.response.status).toBe(503);
    logger.acknowledge(second);
    expect(second.heldUntil).toBeUndefined();
    logger.log(second);
    await flushPromises();
    await opened.drain(1_000);
    const dropped = metrics.snapshot().find(({ name }) => name === "gw_log_entries_dropped_total");
    expect(dropped?.series).toMatchObject([{ labels: { reason: "full" }, value: 1 }]);
  });

  it("a durable logger with ack: response fails a response whose record does not fit into the spool, and counts it", async () => {
    const { logger, opened, metrics } = openedLogger(
      new ReadySink(),
      { ...DURABLE, ack: "response", spool: { maxBytes: 1, onFull: "refuse" } },
      spoolDirectory(),
    );
    const x = finishedExchange();
    logger.rejectIfFull(x);
    expect(x.answered).toBe(false);
    logger.acknowledge(x);
    await expect(x.heldUntil).rejects.toThrow("the spool is full");
    logger.log(x);
    await flushPromises();
    await opened.drain(1_000);
    const dropped = metrics.snapshot().find(({ name }) => name === "gw_log_entries_dropped_total");
    expect(dropped?.series[0]).toMatchObject({ labels: { reason: "full" } });
  });

  it("a durable logger with ack: log does not delay the response", async () => {
    const { logger, opened, metrics } = openedLogger(new ReadySink(), DURABLE, spoolDirectory());
    const x = finishedExchange();
    logger.acknowledge(x);
    expect(x.heldUntil).toBeUndefined();
    logger.log(x);
    await opened.drain(1_000);
    const spooled = metrics.snapshot().find(({ name }) => name === "gw_log_entries_spooled_total");
    expect(spooled?.series[0]?.value).toBe(1);
  });
});
