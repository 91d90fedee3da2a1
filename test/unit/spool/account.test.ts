import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import { entryOrigin } from "../../../runtime/logging/batch/log-metrics.js";
import { SpoolLogOutput } from "../../../runtime/logging/log-output.js";
import { nextEpoch } from "../../../runtime/logging/spool/cursor.js";
import { Shipping } from "../../../runtime/logging/spool/shipping.js";
import { SpoolUsage } from "../../../runtime/logging/spool/usage.js";
import { openSpool } from "../../../runtime/logging/spool/writer.js";
import { until } from "../../support/patience.js";

const DESTINATION = { kind: "syslog", id: "d1", settings: { host: "logs.test", port: 514 } };
const OPTIONS = { maxBytes: 1e9, onFull: "refuse" as const };
const NAME = "sys logger";
const ORIGIN = entryOrigin(NAME, "shop");

let directory: string;
let context: ResourceContext & { metrics: MetricsRegistry };
let reports: { event: string; fields: Readonly<Record<string, unknown>> }[];
const stops: (() => Promise<unknown>)[] = [];
const newContext = () => ({
  secret: () => undefined,
  report: (event: string, fields: Readonly<Record<string, unknown>>) => reports.push({ event, fields }),
  metrics: new MetricsRegistry(),
  worker: 1,
  spoolDirectory: directory,
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-account-"));
  reports = [];
  context = newContext();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  rmSync(directory, { recursive: true, force: true });
});

class TestSink implements Sink {
  down = true;
  readonly entries: LogEntry[] = [];

  async send(entries: readonly LogEntry[]): Promise<void> {
    if (this.down) throw new SendError("connection refused");
    this.entries.push(...entries);
  }

  async close(): Promise<void> {}
}

function ship(sink: Sink, of: ResourceContext = context): Shipping {
  const shipping = new Shipping({
    directory,
    epoch: nextEpoch(directory),
    openSink: () => sink,
    context: of,
  });
  stops.push(() => shipping.stop(100));
  return shipping;
}

async function value(
  name: string,
  labels: Record<string, string> = {},
  { metrics } = context,
): Promise<number> {
  return (await metrics.collect(1_000))
    .filter((family) => family.name === name)
    .flatMap(({ series }) => series)
    .filter((one) => Object.entries(labels).every(([label, text]) => one.labels[label] === text))
    .reduce((sum, one) => sum + one.value, 0);
}

const entry = (i: number): LogEntry => ({ payload: `entry ${i} ${"x".repeat(100)}`, origin: ORIGIN });
/** Resolves after a check of the disk that began after the call: none follows until somebody writes. */
async function usageSeen(): Promise<void> {
  for (let looks = 0; looks < 2; looks++) await SpoolUsage.of(directory).look();
}
const filesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".seg"));

describe("metrics of a spool", () => {
  it("the metrics of a spool show entries on disk during an outage, even while the shipper waits", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    const sink = new TestSink();
    ship(sink);
    await spool.append(entry(0));
    await until(() => reports.some(({ event }) => event === "spool_not_delivered"));
    const before = await value("gw_spool_bytes");
    // The shipper waits between two attempts and reads nothing.
    for (let i = 1; i < 50; i++) await spool.append(entry(i));
    expect(await value("gw_spool_bytes")).toBeGreaterThan(before + 49 * 110);
    expect(await value("gw_log_pending_entries", { name: NAME })).toBe(50);
    await until(async () => (await value("gw_spool_oldest_seconds")) > 0.1);
    expect(
      await value("gw_spool_bytes", { destination: "d1", address: "syslog logs.test:514" }),
    ).toBeGreaterThan(0);
    sink.down = false;
    await until(() => sink.entries.length === 50);
    await until(async () => (await value("gw_spool_bytes")) === 0);
    expect(await value("gw_log_pending_entries")).toBe(0);
    expect(await value("gw_log_pending_bytes")).toBe(0);
    await spool.drain(1_000);
  });

  it("the metrics of a spool show the age of the oldest undelivered entry, not of the file it is in", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    const sink = new TestSink();
    sink.down = false;
    ship(sink);
    await spool.append(entry(0));
    await until(async () => (await value("gw_spool_bytes")) === 0);
    expect(await value("gw_spool_oldest_seconds")).toBe(0);
    await wait(100);
    sink.down = true;
    const before = Date.now();
    await spool.append(entry(1));
    const after = Date.now();
    await wait(50);
    await spool.append(entry(2));
    const age = await value("gw_spool_oldest_seconds");
    expect(filesIn(join(directory, "d1"))).toHaveLength(1);
    expect(age).toBeLessThanOrEqual((Date.now() - before) / 1_000);
    expect(age).toBeGreaterThanOrEqual((Date.now() - after - 50) / 1_000);
    await spool.drain(1_000);
  });

  it("the metrics of a spool count delivered and rejected entries by logger and route", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await Promise.all([0, 1, 2].map((i) => spool.append(entry(i))));
    await spool.append({ payload: "other", origin: entryOrigin("größe", "r2") });
    const sink = new TestSink();
    sink.send = async (entries) => {
      const at = entries.findIndex(({ payload }) => payload.startsWith("entry 1"));
      if (at >= 0) throw new SendError("too large", at, [at]);
    };
    ship(sink);
    const sent = (route_id: string) => value("gw_log_entries_sent_total", { route_id });
    await until(async () => (await sent("shop")) === 2 && (await sent("r2")) === 1);
    expect(await value("gw_log_entries_sent_total", { name: "größe" })).toBe(1);
    expect(await value("gw_log_entries_dropped_total", { route_id: "shop", reason: "refused" })).toBe(1);
    await spool.drain(1_000);
  });

  it("the metrics of a spool count entries of an earlier process as recovered, once", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await Promise.all([0, 1, 2].map((i) => spool.append(entry(i))));
    await spool.drain(1_000);
    await wait(20);
    const next = { ...newContext(), startedAt: Date.now() };
    const sink = new TestSink();
    const first = ship(sink, next);
    const recovered = () => value("gw_log_entries_recovered_total", { route_id: "shop" }, next);
    await until(async () => (await recovered()) === 3);
    await first.stop(100);
    sink.down = false;
    ship(sink, next);
    await until(() => sink.entries.length === 3);
    expect(await recovered()).toBe(3);
    expect(await value("gw_log_entries_sent_total", {}, next)).toBe(3);
    expect(await value("gw_log_pending_entries", {}, next)).toBe(0);
  });
});

describe("pushed + recovered = sent + pending + dropped", () => {
  const of = (name: string, metrics = context) => value(`gw_log_${name}`, {}, metrics);
  /** Checks the equation and returns its terms. */
  const account = async (metrics = context) => {
    const [pushed = 0, recovered = 0, sent = 0, pending = 0, dropped = 0] = await Promise.all(
      [
        "entries_pushed_total",
        "entries_recovered_total",
        "entries_sent_total",
        "pending_entries",
        "entries_dropped_total",
      ].map((name) => of(name, metrics)),
    );
    expect(sent + pending + dropped).toBe(pushed + recovered);
    return { pushed, recovered, sent, pending, dropped };
  };
  /** Appends entries as loggers do. @returns when each is in the spool or rejected by it */
  const take = (output: SpoolLogOutput, from: number, count: number, size = 100) => {
    const series = output.metrics.of("shop", "192.0.2.1");
    const all = Array.from({ length: count }, (_, i) =>
      output.append({ payload: `entry ${from + i} ${"x".repeat(size)}` }, series),
    );
    return Promise.allSettled(all);
  };

  it("the sum of entry counts is right before, in and after an outage, and after a restart in it", async () => {
    const output = new SpoolLogOutput(NAME, openSpool(DESTINATION, OPTIONS, context), context);
    const sink = new TestSink();
    sink.down = false;
    const first = ship(sink);
    await take(output, 0, 20);
    await until(async () => (await of("entries_sent_total")) === 20);
    expect(await account()).toEqual({ pushed: 20, recovered: 0, sent: 20, pending: 0, dropped: 0 });
    sink.down = true;
    await take(output, 20, 30);
    await until(async () => (await of("entries_failed_total")) > 0);
    expect(await account()).toEqual({ pushed: 50, recovered: 0, sent: 20, pending: 30, dropped: 0 });
    await first.stop(100);
    await output.drain(1_000);
    await wait(20);

    const next = { ...newContext(), startedAt: Date.now() };
    const after = new SpoolLogOutput(NAME, openSpool(DESTINATION, OPTIONS, next), next);
    ship(sink, next);
    await until(async () => (await of("entries_recovered_total", next)) === 30);
    await take(after, 50, 10);
    expect(await account(next)).toEqual({ pushed: 10, recovered: 30, sent: 0, pending: 40, dropped: 0 });
    const received = sink.send.bind(sink);
    // The destination rejects one of them for good.
    sink.send = async (entries) => {
      const at = entries.findIndex(({ payload }) => payload.startsWith("entry 45 "));
      if (at < 0) return received(entries);
      await received(entries.slice(0, at));
      throw new SendError("too large", at, [at]);
    };
    sink.down = false;
    await until(async () => (await of("entries_sent_total", next)) === 39);
    expect(await account(next)).toEqual({ pushed: 10, recovered: 30, sent: 39, pending: 0, dropped: 1 });
    expect(new Set(sink.entries.map(({ payload }) => payload)).size).toBe(59);
    await after.drain(1_000);
  });

  it.each(["refuse", "drop_oldest"] as const)(
    "the sum of entry counts is right for a full spool with on_full %s",
    async (onFull) => {
      const bound = { maxBytes: 300_000, onFull };
      const output = new SpoolLogOutput(NAME, openSpool(DESTINATION, bound, context), context);
      const sink = new TestSink();
      ship(sink);
      for (let i = 0; i < 40; i += 1) await take(output, i * 10, 10, 1_000);
      // The oldest segments are dropped at the next checks of the disk.
      await until(async () => (await of("entries_dropped_total")) > 50);
      await usageSeen();
      const full = await account();
      expect(full).toMatchObject({ pushed: 400, sent: 0 });
      expect(full.dropped).toBeGreaterThan(50);
      sink.down = false;
      await until(async () => (await of("pending_entries")) === 0);
      const { sent, dropped } = await account();
      expect([sent, dropped]).toEqual([full.pending, full.dropped]);
      expect(sink.entries).toHaveLength(sent);
      await output.drain(1_000);
    },
  );
});

describe("a damaged segment", () => {
  it("a damaged segment counts each missing entry as dropped and moves to the damaged folder", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await Promise.all(Array.from({ length: 200 }, (_, i) => spool.append(entry(i))));
    await spool.drain(1_000);
    const folder = join(directory, "d1");
    const [name = ""] = filesIn(folder);
    const bytes = readFileSync(join(folder, name));
    bytes.fill(0, bytes.indexOf("entry 100 "), bytes.indexOf("entry 110 ") + 20);
    writeFileSync(join(folder, name), bytes);
    const sink = new TestSink();
    sink.down = false;
    const shipping = ship(sink);
    await until(() => filesIn(folder).length === 0);
    expect(sink.entries).toHaveLength(189);
    expect(shipping.destinations).toMatchObject([{ totals: { delivered: 189, damaged: 11, refused: 0 } }]);
    expect(await value("gw_log_entries_dropped_total", { reason: "damaged", route_id: "shop" })).toBe(11);
    expect(filesIn(join(folder, "damaged"))).toEqual([name]);
    await expect.poll(() => reports.map(({ event }) => event)).toContain("spool_segment_kept");
  });
});

describe("a destination without its description", () => {
  it("a destination without its description gets it again from the running logger", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    rmSync(join(directory, "d1", "destination.json"));
    await spool.append(entry(1));
    const sink = new TestSink();
    sink.down = false;
    ship(sink);
    await until(() => sink.entries.length === 1);
    const file = join(directory, "d1", "destination.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(DESTINATION);
    writeFileSync(file, "{");
    await spool.append(entry(2));
    await until(() => sink.entries.length === 2);
    await spool.drain(1_000);
  });
});

describe("idle destinations", () => {
  /** Idle destinations and the number of timers that they start. */
  async function idle(count: number) {
    const intervals = vi.spyOn(globalThis, "setInterval");
    const spools = Array.from({ length: count }, (_, i) =>
      openSpool({ ...DESTINATION, id: `d${i}` }, OPTIONS, context),
    );
    const sink = new TestSink();
    sink.down = false;
    const shipping = ship(sink);
    await until(() => shipping.destinations.filter(({ empty }) => empty).length === count);
    await usageSeen();
    const [tick] = intervals.mock.calls[0] ?? [];
    const timeouts = vi.spyOn(globalThis, "setTimeout");
    // More ticks than there are between two checks of all destinations.
    for (let ticks = 0; ticks < 12; ticks++) {
      (tick as () => void)();
      await wait(20);
    }
    const timers = { intervals: intervals.mock.calls.length, timeouts: timeouts.mock.calls.length };
    vi.restoreAllMocks();
    return { spools, sink, timers };
  }

  it("500 idle destinations start as many timers as one", async () => {
    const one = await idle(1);
    expect(one.timers.intervals).toBe(1);
    await Promise.all(one.spools.map((spool) => spool.drain(1_000)));
    await Promise.all(stops.splice(0).map((stop) => stop()));
    const { spools, sink, timers } = await idle(500);
    expect(timers).toEqual(one.timers);
    await spools[250]?.append(entry(1));
    await until(() => sink.entries.length === 1);
    await Promise.all(spools.map((spool) => spool.drain(1_000)));
  });
});
