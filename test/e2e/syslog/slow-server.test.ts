import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { BatchProcessor } from "../../../runtime/logging/batch/batch-processor.js";
import { nextEpoch } from "../../../runtime/logging/spool/cursor.js";
import { Shipping } from "../../../runtime/logging/spool/shipping.js";
import { openSpool } from "../../../runtime/logging/spool/writer.js";
import { SendRate } from "../../../runtime/logging/stream/send-rate.js";
import { BATCH } from "../../support/log-harness.js";
import { until } from "../../support/patience.js";
import { openSink } from "./sending.js";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/**
 * Reads that many bytes a second from all connections together, one after the other, and stores the lines.
 */
async function serverAt(bytesPerSecond: number) {
  const sockets: Socket[] = [];
  const lines: string[] = [];
  const rests = new Map<Socket, string>();
  let budget = 0;
  const read = () => {
    budget = Math.min(budget + bytesPerSecond / 20, bytesPerSecond);
    for (const socket of sockets) {
      while (budget >= 1) {
        const want = Math.min(Math.floor(budget), socket.readableLength);
        // A read of 0 bytes makes the socket fill its buffer.
        const piece: Buffer | null = socket.read(want);
        if (piece === null || want === 0) break;
        budget -= piece.length;
        const parts = `${rests.get(socket) ?? ""}${piece.toString("latin1")}`.split("\n");
        rests.set(socket, parts.pop() ?? "");
        lines.push(...parts);
      }
    }
  };
  const timer = setInterval(read, 50);
  const server = createServer({ highWaterMark: 1_024 }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.splice(sockets.indexOf(socket), 1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, lines };
}

const record = (i: number) => ({ payload: `<46>1 - - gwc 1 - - ${i} ${"x".repeat(180)}` });
const numberOf = (line: string) => Number(line.split(" ")[7]);

describe("a slow syslog server", () => {
  it.each([
    ["1 kB/s", 1_000, 60, 300],
    ["100 kB/s", 100_000, 4_000, 200],
  ])(
    "a server that reads %s gets every spooled record, and fewer than a third of them twice",
    async (_, rate, count, timeoutMs) => {
      const directory = mkdtempSync(join(tmpdir(), "gwc-slow-"));
      stops.push(() => rmSync(directory, { recursive: true, force: true }));
      const { port, lines } = await serverAt(rate);
      const context = {
        secret: () => undefined,
        report: () => {},
        metrics: new MetricsRegistry(),
        worker: 1,
        spoolDirectory: directory,
      };
      const destination = { kind: "syslog", id: "d1", settings: {} };
      const spool = openSpool(destination, { maxBytes: 1e9, onFull: "refuse" }, context);
      await Promise.all(Array.from({ length: count }, (_, i) => spool.append(record(i))));
      const sink = openSink({ port, timeoutMs, confirm: true });
      const shipping = new Shipping({
        directory,
        epoch: nextEpoch(directory),
        openSink: () => sink,
        context,
      });
      stops.push(
        () => shipping.stop(100),
        () => spool.drain(100),
      );
      await until(() => new Set(lines.map(numberOf)).size === count);
      expect(new Set(lines.map(numberOf)).size).toBe(count);
      expect(lines.length - count).toBeLessThan(count / 3);
    },
  );

  it("the send rate shrinks a batch after a late try and grows it with the measured speed", async () => {
    const pace = new SendRate(3_000, false);
    const first = pace.bytes;
    pace.late(first);
    expect(pace.bytes).toBe(first / 4);
    expect(pace.deadlineMs(pace.bytes)).toBe(6_000);
    pace.worked(pace.bytes, 30_000);
    // 35 bytes a millisecond: as much as 4 s transfer, with eight times that time as deadline.
    expect(pace.bytes).toBeGreaterThan(130_000);
    expect(pace.bytes).toBeLessThan(150_000);
    expect(pace.deadlineMs(pace.bytes)).toBeGreaterThan(30_000);
  });
});

describe("a batch processor", () => {
  it("a batch processor splits a failed batch to the sink's batchBytes and keeps the order", async () => {
    const sent: string[][] = [];
    let batchBytes = 1_000;
    const sink = {
      get batchBytes() {
        return batchBytes;
      },
      async send(entries: readonly { payload: string }[]) {
        sent.push(entries.map(({ payload }) => payload));
        if (sent.length > 1) return;
        batchBytes = 4;
        throw new Error("too slow");
      },
      async close() {},
    };
    const context = { report: () => {}, metrics: new MetricsRegistry() };
    const settings = { ...BATCH, batchMaxSize: 4, maxRetryCount: 5, retryDelay: 0, inactiveTimeout: 1 };
    const batch = new BatchProcessor(settings, sink, context);
    const series = batch.metrics.of("r", "s");
    for (const payload of ["aa", "bb", "cc", "dd"]) batch.push({ payload }, series);
    await until(() => batch.counts.sent === 4);
    expect(sent).toEqual([
      ["aa", "bb", "cc", "dd"],
      ["aa", "bb"],
      ["cc", "dd"],
    ]);
    expect(batch.counts).toMatchObject({ pushed: 4, sent: 4, pending: 0, dropped: 0, pendingBytes: 0 });
    await batch.drain(100);
  });

  it("a batch processor reports max_pending_bytes when that limit discards an entry", async () => {
    const lines: string[] = [];
    const report = (_: string, { message }: Readonly<Record<string, unknown>>) => lines.push(String(message));
    const sink = { send: () => new Promise<void>(() => {}), close: async () => {} };
    const settings = { ...BATCH, maxPendingBytes: 100 };
    const batch = new BatchProcessor(settings, sink, { report, metrics: new MetricsRegistry() });
    const series = batch.metrics.of("r", "s");
    expect(batch.push({ payload: "x".repeat(90) }, series).ok).toBe(true);
    expect(batch.push({ payload: "x".repeat(90) }, series).ok).toBe(false);
    expect(lines[0]).toContain("max pending bytes limit exceeded. discarding entry.");
    expect(lines[0]).toContain("max_pending_bytes: 100 pending_bytes: 90 entry_bytes: 90");
    expect(lines[0]).not.toContain("max_pending_entries");
    await batch.drain(10);
  });
});
