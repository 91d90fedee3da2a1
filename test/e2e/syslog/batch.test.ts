import { describe, expect, it, onTestFinished } from "vitest";
import type { BatchSettings } from "../../../runtime/abi/delivery.js";
import { BatchProcessor } from "../../../runtime/logging/batch/batch-processor.js";
import { absent, SyslogServer } from "../../support/syslog-server.js";
import { numbered, numbers, openSink, SenderContext } from "./sending.js";

const SETTINGS: BatchSettings = {
  name: "sys logger",
  batchMaxSize: 100,
  inactiveTimeout: 1,
  bufferDuration: 60,
  maxRetryCount: 100,
  retryDelay: 0,
  maxPendingEntries: 2000,
  maxPendingBytes: 67_108_864,
};

describe.skipIf(absent("rsyslog") !== undefined)("a batch processor with a stuck syslog server", () => {
  it("[log.errors.1] a batch processor stores max_pending_entries, counts the dropped rest, and delivers all stored", async () => {
    const server = await SyslogServer.start("rsyslog");
    onTestFinished(() => server.stop());
    const context = new SenderContext();
    const sink = openSink({ port: server.ports.tcp, timeoutMs: 30_000 }, context);
    const processor = new BatchProcessor(SETTINGS, sink, context);
    const series = processor.metrics.of("1", "127.0.0.1");
    await server.freeze();
    // Far more than the kernels of both ends buffer: the sink blocks, and nothing else does.
    const wave = numbered(0, 500, "x".repeat(20_000));
    let refused = 0;
    let pushed = 0;
    for (let taken = 1; taken > 0; ) {
      const results = wave.map((entry) => processor.push(entry, series));
      const failures = results.filter((result) => !result.ok);
      expect(failures.every((result) => !result.ok && result.error === "buffer overflow")).toBe(true);
      pushed += wave.length;
      refused += failures.length;
      taken = wave.length - failures.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { pending, dropped } = processor.counts;
    expect(pending).toBe(SETTINGS.maxPendingEntries);
    expect(dropped).toBe(refused);
    server.thaw();
    const arrived = await server.receives(pushed - refused, 60_000);
    expect(numbers(arrived).length).toBe(pushed - refused);
    await processor.drain(5_000);
    expect(processor.counts).toMatchObject({
      pushed,
      sent: pushed - refused,
      pending: 0,
      dropped: refused,
    });
  });
});
