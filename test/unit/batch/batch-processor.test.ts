import { describe, expect, it } from "vitest";
import { SendError } from "../../../runtime/abi/delivery.js";
import { BatchProcessor } from "../../../runtime/logging/batch/batch-processor.js";
import { BATCH, batchOn, ManualSink, ReadySink } from "../../support/log-harness.js";
import { flushPromises } from "../../support/simulated-clock.js";

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));

describe("the departure of a batch", () => {
  it("[log.batch.3] [log.service.5] [log.limits.2] a batch leaves at its thousandth entry by default", async () => {
    const { push, sink } = batchOn(new ReadySink());
    for (const payload of numbers(0, 999)) push(payload);
    expect(sink.batches).toEqual([]);
    push("999");
    expect(sink.batches).toEqual([numbers(0, 1_000)]);
  });

  it("[log.service.5] [log.service.6] [log.limits.1] a batch leaves five seconds after its first entry by default, however busy it is", async () => {
    const { push, sink, clock } = batchOn(new ReadySink());
    for (let second = 0; second < 5; second++) {
      push(String(second));
      await clock.advance(999);
    }
    expect(sink.batches).toEqual([]);
    await clock.advance(5);
    expect(sink.batches).toEqual([["0", "1", "2", "3", "4"]]);
  });

  it("[log.batch.3] a batch leaves after buffer_duration if that is shorter", async () => {
    const { push, sink, clock } = batchOn(new ReadySink(), { bufferDuration: 2 });
    push("a");
    await clock.advance(1_999);
    expect(sink.batches).toEqual([]);
    await clock.advance(1);
    expect(sink.batches).toEqual([["a"]]);
  });

  it("a batch of batch_max_size 1 leaves at once and takes along entries that came during a delivery", async () => {
    const { push, sink } = batchOn(new ManualSink(), { batchMaxSize: 1 });
    push("a");
    push("b");
    push("c");
    expect(sink.sent).toEqual([["a"]]);
    sink.answer();
    await flushPromises();
    expect(sink.sent).toEqual([["a"], ["b", "c"]]);
  });

  it("[log.broker.batch_max_size] a batch has at most batch_max_size entries, and one batch is in flight at a time", async () => {
    const { push, sink } = batchOn(new ManualSink(), { batchMaxSize: 2 });
    for (const payload of numbers(0, 5)) push(payload);
    expect(sink.sent).toEqual([["0", "1"]]);
    sink.answer();
    await flushPromises();
    expect(sink.sent).toEqual([
      ["0", "1"],
      ["2", "3"],
    ]);
    sink.answer();
    await flushPromises();
    expect(sink.sent).toHaveLength(2);
  });

  it("a batch counts the time for which its entries waited for the batch before it", async () => {
    const { push, sink, clock } = batchOn(new ManualSink(), { batchMaxSize: 2 });
    for (const payload of ["a", "b", "c"]) push(payload);
    await clock.advance(4_000);
    sink.answer();
    await clock.advance(999);
    expect(sink.sent).toHaveLength(1);
    await clock.advance(1);
    expect(sink.sent).toEqual([["a", "b"], ["c"]]);
  });

  it("a batch leaves when its bodies reach 4 MiB", () => {
    const { push, sink } = batchOn(new ReadySink());
    const record = "x".repeat(1_048_576);
    for (let i = 0; i < 4; i++) push(record);
    expect(sink.batches.map((batch) => batch.length)).toEqual([4]);
  });
});

describe("limits", () => {
  it("[log.batch.1] [log.batch.2] [log.errors.1] a push returns true, and buffer overflow beyond max_pending_entries", () => {
    const { push, batch } = batchOn(new ManualSink(), { maxPendingEntries: 3 });
    expect(numbers(0, 3).map((payload) => push(payload))).toEqual([{ ok: true }, { ok: true }, { ok: true }]);
    expect(push("3")).toEqual({ ok: false, error: "buffer overflow" });
    expect(batch.counts).toEqual({ pushed: 4, sent: 0, pending: 3, dropped: 1, pendingBytes: 3 });
  });

  it("a batch processor does not store more bytes than max_pending_bytes", () => {
    const { push, batch } = batchOn(new ManualSink(), { maxPendingBytes: 10 });
    expect(push("123456789")).toEqual({ ok: true });
    expect(push("12")).toEqual({ ok: false, error: "buffer overflow" });
    expect(push("1")).toEqual({ ok: true });
    expect(batch.counts.pendingBytes).toBe(10);
  });

  it("[log.metadata.broker-logger.max_pending_entries] max_pending_entries of metadata can change at run time and back", async () => {
    const { push, batch } = batchOn(new ManualSink(), { maxPendingEntries: 2 });
    push("a");
    batch.limit(1);
    expect(push("b").ok).toBe(false);
    batch.limit(undefined);
    expect(push("c").ok).toBe(true);
  });

  it("a batch leaves when max_pending_entries is reached, even if batch_max_size is larger", () => {
    const { push, sink } = batchOn(new ReadySink(), { maxPendingEntries: 3 });
    for (const payload of numbers(0, 3)) push(payload);
    expect(sink.batches).toEqual([["0", "1", "2"]]);
  });

  it("a batch processor reports discarded entries once a second, in the words of the reference", async () => {
    const { push, reports, clock } = batchOn(new ManualSink(), { maxPendingEntries: 1 });
    for (const payload of numbers(0, 5)) push(payload);
    await clock.advance(1_000);
    push("5");
    expect(reports.map(({ event }) => event)).toEqual(["log_entries_discarded", "log_entries_discarded"]);
    expect(reports[1]?.fields["message"]).toBe(
      "max pending entries limit exceeded. discarding entry. total_pushed_entries: 6 " +
        "total_processed_entries: 5 max_pending_entries: 1 discarded_entries: 5",
    );
  });

  it("a batch processor drops none of 75,000 entries at 15,000 a second while a delivery takes 20 ms", async () => {
    const sink = new ManualSink();
    const { push, batch, clock } = batchOn(sink);
    for (let ms = 0; ms < 5_000; ms++) {
      for (let i = 0; i < 15; i++) push("record");
      if (sink.underWay > 0 && ms % 20 === 0) sink.answer();
      await clock.advance(1);
    }
    expect(batch.counts.dropped).toBe(0);
    expect(batch.counts.pending).toBeLessThan(2_000);
  });
});

describe("failures", () => {
  it("a batch processor drops and reports a failed batch when there are no retries", async () => {
    const { push, batch, sink, reports } = batchOn(new ManualSink(), { batchMaxSize: 2 });
    push("a");
    push("b");
    sink.answer(new Error("connection refused"));
    await flushPromises();
    expect(batch.counts).toMatchObject({ dropped: 2, pending: 0 });
    expect(reports.map(({ fields }) => fields["message"])).toEqual([
      "Batch Processor[sys logger] failed to process entries: connection refused",
      "Batch Processor[sys logger] exceeded the max_retry_count[0] dropping the entries",
    ]);
  });

  it("a batch processor retries a batch after retry_delay, at most max_retry_count times", async () => {
    const { push, batch, sink, clock } = batchOn(new ManualSink(), {
      batchMaxSize: 1,
      maxRetryCount: 2,
      retryDelay: 3,
    });
    push("a");
    for (const tries of [1, 2, 3]) {
      expect(sink.sent).toHaveLength(tries);
      sink.answer(new Error("down"));
      await clock.advance(2_999);
      expect(sink.sent).toHaveLength(tries);
      await clock.advance(1);
    }
    expect(batch.counts).toMatchObject({ sent: 0, dropped: 1, pending: 0 });
  });

  it("a batch processor retries only the undelivered rest of a batch", async () => {
    const { push, batch, sink, clock, reports } = batchOn(new ManualSink(), {
      batchMaxSize: 3,
      maxRetryCount: 1,
    });
    for (const payload of ["a", "b", "c"]) push(payload);
    sink.answer(new SendError("reset", 2));
    await clock.advance(1_000);
    expect(sink.sent[1]).toEqual(["c"]);
    expect(reports[0]?.fields["message"]).toBe(
      "Batch Processor[sys logger] failed to process entries [1/3]: reset",
    );
    sink.answer();
    await flushPromises();
    expect(batch.counts).toMatchObject({ sent: 3, dropped: 0, pending: 0 });
  });

  it.each([0, 1])(
    "with %i retries, a batch processor drops entries that the destination rejects for good and sends the others at once",
    async (maxRetryCount) => {
      const { push, batch, sink, clock } = batchOn(new ManualSink(), { batchMaxSize: 4, maxRetryCount });
      for (const payload of ["a", "large", "c", "d"]) push(payload);
      sink.answer(new SendError("message too large", 1, [1]));
      await clock.advance(0);
      expect(sink.sent[1]).toEqual(["c", "d"]);
      sink.answer();
      await flushPromises();
      expect(batch.counts).toMatchObject({ sent: 3, dropped: 1, pending: 0 });
    },
  );
});

describe("drain", () => {
  it("a drain delivers the pending entries, then closes the sink", async () => {
    const { push, batch, sink } = batchOn(new ManualSink(), { batchMaxSize: 2 });
    for (const payload of ["a", "b", "c"]) push(payload);
    const drained = batch.drain(1_000);
    sink.answer();
    await flushPromises();
    expect(sink.sent).toEqual([["a", "b"], ["c"]]);
    expect(sink.closed).toBe(false);
    sink.answer();
    await drained;
    expect(sink.closed).toBe(true);
    expect(batch.counts).toMatchObject({ sent: 3, pending: 0, dropped: 0 });
  });

  it("a drain gives up at its deadline and counts the rest as dropped", async () => {
    const { push, batch, sink, clock, metric, reports } = batchOn(new ManualSink(), { batchMaxSize: 2 });
    for (const payload of ["a", "b", "c"]) push(payload);
    const drained = batch.drain(1_000);
    await clock.advance(1_000);
    await drained;
    expect(sink.closed).toBe(true);
    expect(batch.counts).toMatchObject({ sent: 0, pending: 0, dropped: 3, pendingBytes: 0 });
    expect(metric("gw_log_entries_dropped_total", { reason: "drain_deadline" })).toBe(3);
    expect(reports.at(-1)).toMatchObject({ event: "log_entries_abandoned", fields: { entries: 3 } });
  });

  it("a drain counts entries as sent that the sink had delivered when it was closed", async () => {
    class Interrupted extends ManualSink {
      override async close(): Promise<void> {
        this.answer(new SendError("closed", 2));
      }
    }
    const { push, batch, clock } = batchOn(new Interrupted(), { batchMaxSize: 3 });
    for (const payload of ["a", "b", "c"]) push(payload);
    const drained = batch.drain(500);
    await clock.advance(500);
    await drained;
    expect(batch.counts).toMatchObject({ sent: 2, dropped: 1, pending: 0 });
  });

  it("a batch processor accepts no entry after a drain", async () => {
    const { push, batch } = batchOn(new ReadySink());
    await batch.drain(100);
    expect(push("late").ok).toBe(false);
    expect(batch.counts).toMatchObject({ pushed: 1, dropped: 1 });
  });
});

describe("metrics", () => {
  it("[log.broker.name] gw_batch_process_entries shows buffered entries by name, route and server, and 0 once they are sent", async () => {
    const { push, clock, metric } = batchOn(new ReadySink());
    const waiting = (route: string) =>
      metric("gw_batch_process_entries", {
        name: "sys logger",
        route_id: route,
        server_addr: "127.0.0.1",
      });
    push("a", "r1");
    push("b", "r2");
    push("c", "r1");
    expect([waiting("r1"), waiting("r2")]).toEqual([2, 1]);
    await clock.advance(5_000);
    expect([waiting("r1"), waiting("r2")]).toEqual([0, 0]);
  });

  it("the metrics of a batch processor count the outcome of the entries of each route", async () => {
    const { push, clock, sink, metric } = batchOn(new ManualSink(), { batchMaxSize: 3, maxRetryCount: 1 });
    push("aa", "r1");
    push("b", "r2");
    push("cc", "r1");
    sink.answer(new SendError("reset", 1));
    await clock.advance(1_000);
    sink.answer();
    await flushPromises();
    expect(metric("gw_log_entries_pushed_total", { route_id: "r1" })).toBe(2);
    expect(metric("gw_log_entries_sent_total", { route_id: "r1" })).toBe(2);
    expect(metric("gw_log_bytes_sent_total", { route_id: "r1" })).toBe(4);
    expect(metric("gw_log_entries_failed_total", { route_id: "r1" })).toBe(1);
    expect(metric("gw_log_entries_retried_total", { route_id: "r2" })).toBe(1);
    expect(metric("gw_log_entries_dropped_total")).toBeUndefined();
  });

  it("the metrics of batches with the same name and route are their sum without a drained one, and disappear with the last of them", async () => {
    const { batch, push, metric, metrics, clock } = batchOn(new ManualSink());
    const report = () => {};
    const other = new BatchProcessor(BATCH, new ManualSink(), { report, metrics }, clock);
    push("a");
    other.push({ payload: "b" }, other.metrics.of("r1", "127.0.0.1"));
    expect(metric("gw_batch_process_entries")).toBe(2);
    expect(metric("gw_log_pending_entries")).toBe(2);
    const drained = batch.drain(10);
    await clock.advance(10);
    await drained;
    expect(metric("gw_batch_process_entries")).toBe(1);
    other.push({ payload: "c" }, other.metrics.of("r1", "127.0.0.1"));
    expect(metric("gw_batch_process_entries")).toBe(2);
    expect(metric("gw_log_pending_entries")).toBe(2);
    const last = other.drain(10);
    await clock.advance(10);
    await last;
    expect(metric("gw_batch_process_entries")).toBeUndefined();
    expect(metric("gw_log_pending_entries")).toBeUndefined();
  });

  it("the metrics of a route disappear half an hour after its last entry", async () => {
    const { push, clock, metric } = batchOn(new ReadySink());
    push("a");
    await clock.advance(30 * 60_000);
    expect(metric("gw_batch_process_entries")).toBe(0);
    await clock.advance(5 * 60_000);
    expect(metric("gw_batch_process_entries")).toBeUndefined();
  });
});
