import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Destination, type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import type { SpoolSettings } from "../../../runtime/logging/logger-settings.js";
import { nextEpoch, positionsIn } from "../../../runtime/logging/spool/cursor.js";
import { segmentName } from "../../../runtime/logging/spool/layout.js";
import { Shipping } from "../../../runtime/logging/spool/shipping.js";
import { openSpool } from "../../../runtime/logging/spool/writer.js";
import { until } from "../../support/patience.js";

const DESTINATION: Destination = { kind: "test", id: "d1", settings: { host: "h" } };
const OPTIONS: SpoolSettings = { maxBytes: 1_048_576, onFull: "refuse" };

let directory: string;
let context: ResourceContext & { metrics: MetricsRegistry };
let reports: string[];
const stops: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-spool-"));
  reports = [];
  context = {
    secret: () => undefined,
    report: (event) => reports.push(event),
    metrics: new MetricsRegistry(),
    worker: 1,
    spoolDirectory: directory,
  };
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  rmSync(directory, { recursive: true, force: true });
});

/** Sink that stores its entries, or fails by `fault`. */
class Received implements Sink {
  readonly entries: LogEntry[] = [];
  /** Called for each batch; an error that it returns is thrown. */
  fault: (entries: readonly LogEntry[]) => SendError | undefined = () => undefined;

  async send(entries: readonly LogEntry[]): Promise<void> {
    await wait(0);
    const error = this.fault(entries);
    if (error === undefined) this.entries.push(...entries);
    else {
      this.entries.push(...entries.slice(0, error.delivered));
      throw error;
    }
  }

  async close(): Promise<void> {}

  get payloads(): string[] {
    return this.entries.map(({ payload }) => payload);
  }
}

function ship(sink: Received, epoch = nextEpoch(directory)): Shipping {
  const shipping = new Shipping({ directory, epoch, openSink: () => sink, context });
  stops.push(() => shipping.stop(100));
  return shipping;
}

const files = () => readdirSync(join(directory, "d1")).filter((name) => name.endsWith(".seg"));
const total = (name: string) =>
  context.metrics
    .snapshot()
    .filter((family) => family.name === name)
    .flatMap(({ series }) => series)
    .reduce((sum, { value }) => sum + value, 0);
/** Name of a writer whose process has ended: process ids end below 2^22 on Linux. */
const DEAD = "0-9999999-a-1";

describe("a spool", () => {
  it("a spool delivers entries in order with unchanged keys and bytes, counts them as shipped and removes their segments", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    const all: LogEntry[] = Array.from({ length: 3_000 }, (_, i) => ({
      payload: `${i} \u00e4\u0000\n${"x".repeat(i % 50)}`,
      ...(i % 3 === 0 && { key: `k${i}\u00ff` }),
    }));
    await Promise.all(all.map((entry) => spool.append(entry)));
    await spool.drain(1_000);
    const sink = new Received();
    ship(sink);
    await until(() => sink.entries.length >= all.length);
    expect(sink.entries).toEqual(all);
    expect(total("gw_spool_entries_appended_total")).toBe(3_000);
    await until(() => total("gw_spool_entries_shipped_total") === 3_000);
    await until(() => files().length === 0);
  });

  it("a spool writes a group to the file while the disk syncs the previous group", async () => {
    const handle = await open(directory, "r");
    const handles = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    let flushed = () => {};
    const flush = vi
      .spyOn(handles, "datasync")
      .mockImplementationOnce(() => new Promise((resolve) => (flushed = resolve)));
    const spool = openSpool(DESTINATION, OPTIONS, context);
    const first = spool.append({ payload: "first" });
    await until(() => flush.mock.calls.length > 0);
    const second = spool.append({ payload: "second" });
    await until(() => files().some((name) => readFileSync(join(directory, "d1", name)).includes("second")));
    flushed();
    await Promise.all([first, second]);
    flush.mockRestore();
    await spool.drain(1_000);
    const sink = new Received();
    ship(sink);
    await until(() => sink.payloads.length === 2);
    expect(sink.payloads).toEqual(["first", "second"]);
  });

  it("a spool keeps undelivered entries for the shipper of the next process", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await spool.append({ payload: "one" });
    await spool.append({ payload: "two" });
    await spool.drain(1_000);
    const down = new Received();
    down.fault = () => new SendError("connection refused");
    const first = ship(down);
    await until(() => reports.includes("spool_not_delivered"));
    await first.stop(100);
    const up = new Received();
    ship(up);
    await until(() => up.payloads.length === 2);
    expect(up.payloads).toEqual(["one", "two"]);
  });

  it("a spool without a valid description is reported, and delivered once a logger has opened it again", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await spool.append({ payload: "one" });
    await spool.drain(1_000);
    writeFileSync(join(directory, "d1", "destination.json"), '{"kind": "te');
    const sink = new Received();
    ship(sink);
    await until(() => reports.includes("spool_not_delivered"));
    expect(sink.payloads).toEqual([]);
    const again = openSpool(DESTINATION, OPTIONS, context);
    await until(() => sink.payloads.length === 1);
    await again.drain(1_000);
    expect(reports.filter((event) => event === "spool_not_delivered")).toHaveLength(1);
  });

  it("a spool sends again only undelivered entries, and drops those that the destination rejects for good", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await Promise.all(["a", "b", "too large", "c"].map((payload) => spool.append({ payload })));
    const sink = new Received();
    sink.fault = (entries) => {
      const at = entries.findIndex(({ payload }) => payload === "too large");
      return at < 0 ? undefined : new SendError("message too large", at, [at]);
    };
    ship(sink);
    await until(() => sink.payloads.includes("c"));
    expect(sink.payloads).toEqual(["a", "b", "c"]);
    expect(total("gw_spool_entries_dropped_total")).toBe(1);
    await spool.drain(1_000);
  });

  it("a spool rejects entries beyond max_bytes and accepts them again once the shipper has made room", async () => {
    const spool = openSpool(DESTINATION, { ...OPTIONS, maxBytes: 10_000 }, context);
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => spool.append({ payload: `${i} ${"x".repeat(100)}` })),
    );
    const kept = results.filter(({ status }) => status === "fulfilled").length;
    expect(kept).toBeGreaterThan(50);
    expect(kept).toBeLessThan(100);
    await expect(spool.append({ payload: "x".repeat(5_000) })).rejects.toThrow("the spool is full");
    const sink = new Received();
    ship(sink);
    await until(() => sink.entries.length === kept);
    await until(() => spool.admits());
    await spool.append({ payload: "x".repeat(5_000) });
    await until(() => sink.entries.length === kept + 1);
    await spool.drain(1_000);
  });

  it("a spool with drop_oldest drops its oldest segments and counts their entries", async () => {
    const spool = openSpool(DESTINATION, { ...OPTIONS, maxBytes: 20_000, onFull: "drop_oldest" }, context);
    for (let i = 0; i < 400; i++) await spool.append({ payload: `${i} ${"x".repeat(100)}` });
    await until(() => total("gw_spool_entries_dropped_total") > 0);
    const dropped = () => total("gw_spool_entries_dropped_total");
    const sink = new Received();
    ship(sink);
    // Entries in flight when their segment is dropped count as dropped, but arrive.
    await until(() => sink.payloads.at(-1)?.startsWith("399 ") === true);
    expect(sink.entries.length + dropped()).toBeGreaterThanOrEqual(400);
    const numbers = sink.payloads.map((payload) => Number.parseInt(payload, 10));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    await spool.drain(1_000);
  });

  it("a spool reports a failed write and accepts entries again when the disk does", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await spool.append({ payload: "before" });
    rmSync(join(directory, "d1"), { recursive: true });
    writeFileSync(join(directory, "d1"), "no folder");
    // The open segment still exists without a name; the next one cannot be created.
    await Promise.allSettled(Array.from({ length: 20 }, () => spool.append({ payload: "x".repeat(20_000) })));
    await Promise.allSettled([spool.append({ payload: "x".repeat(250_000) })]);
    await until(() => reports.includes("spool_write_failed"));
    expect(spool.admits()).toBe(false);
    rmSync(join(directory, "d1"));
    await until(() => spool.admits());
    await spool.append({ payload: "after" });
    expect(
      files()
        .map((name) => readFileSync(join(directory, "d1", name), "latin1"))
        .join(""),
    ).toContain("after");
    await spool.drain(1_000);
  });

  it("a spool is shared by loggers with one destination and closed with the last of them", async () => {
    const one = openSpool(DESTINATION, OPTIONS, context);
    const two = openSpool({ ...DESTINATION, settings: { host: "h", password: "rotated" } }, OPTIONS, context);
    await one.append({ payload: "1" });
    await two.append({ payload: "2" });
    expect(files()).toHaveLength(1);
    await one.drain(1_000);
    await two.append({ payload: "3" });
    await two.drain(1_000);
    const sink = new Received();
    ship(sink);
    await until(() => sink.entries.length === 3);
    expect(sink.payloads).toEqual(["1", "2", "3"]);
  });

  it("a spool needs a directory", () => {
    expect(() => openSpool(DESTINATION, OPTIONS, { ...context, spoolDirectory: undefined })).toThrow(
      "needs a spool directory",
    );
  });
});

describe("a segment of a killed writer", () => {
  let killed = 0;
  /** Path with a new name each time, as no two processes have the same. */
  const segment = () => join(directory, "d1", segmentName(`${DEAD}${killed}`, 1));

  /** Segment of three entries as a writer leaves it. */
  async function written(): Promise<Buffer> {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await Promise.all(["one", "two", "three"].map((payload) => spool.append({ payload })));
    await spool.drain(1_000);
    const bytes = readFileSync(join(directory, "d1", files()[0] as string));
    for (const name of files()) rmSync(join(directory, "d1", name));
    return bytes;
  }

  it("a segment of a killed writer is delivered up to its last complete entry, wherever it was cut", async () => {
    const bytes = await written();
    const last = bytes.indexOf("GWS2", bytes.indexOf("two"));
    for (const end of [last, last + 1, last + 4, last + 11, last + 14, bytes.length - 1, bytes.length]) {
      killed++;
      writeFileSync(segment(), bytes);
      truncateSync(segment(), end);
      const sink = new Received();
      const shipping = ship(sink);
      await until(() => files().length === 0);
      expect(sink.payloads).toEqual(end === bytes.length ? ["one", "two", "three"] : ["one", "two"]);
      await shipping.stop(100);
    }
  });

  it("a segment of a killed writer loses only its damaged entry, which is counted", async () => {
    const bytes = await written();
    for (const [part, left] of [
      ["one", ["two", "three"]],
      ["two", ["one", "three"]],
      ["three", ["one", "two"]],
    ] as const) {
      const broken = Buffer.from(bytes);
      broken.write("###", broken.indexOf(part));
      killed++;
      writeFileSync(segment(), broken);
      const sink = new Received();
      const shipping = ship(sink);
      await until(() => files().length === 0);
      expect(sink.payloads).toEqual(left);
      await shipping.stop(100);
    }
    expect(total("gw_spool_entries_dropped_total")).toBe(3);
    expect(reports).toContain("spool_damaged");
  });

  it("a segment of a killed writer loses only the entry whose length is damaged", async () => {
    const bytes = await written();
    bytes.writeUInt32LE(1_000_000, bytes.indexOf("GWS2", 4) + 4);
    writeFileSync(segment(), bytes);
    const sink = new Received();
    ship(sink);
    await until(() => files().length === 0);
    expect(sink.payloads).toEqual(["one", "three"]);
  });
});

describe("a shipper", () => {
  it("a shipper waits for the rest of an entry that is being written", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await spool.append({ payload: "whole" });
    const file = join(directory, "d1", files()[0] as string);
    const frame = readFileSync(file);
    appendFileSync(file, frame.subarray(0, 7));
    const sink = new Received();
    ship(sink);
    await until(() => sink.entries.length === 1);
    appendFileSync(file, frame.subarray(7));
    await until(() => sink.entries.length === 2);
    expect(sink.payloads).toEqual(["whole", "whole"]);
    await spool.drain(1_000);
  });

  it("a shipper with a lower epoch reports that it is superseded and moves no cursor, so that the new shipper delivers each entry", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = new Received();
    let isSending = false;
    slow.send = () => {
      isSending = true;
      return held;
    };
    const old = ship(slow);
    await spool.append({ payload: "one" });
    await until(() => isSending);
    const sink = new Received();
    sink.fault = () => new SendError("connection refused");
    ship(sink);
    await until(() => reports.includes("spool_not_delivered"));
    release();
    await until(() => old.destinations[0]?.superseded === true);
    expect(positionsIn(join(directory, "d1"))).toEqual(new Map());
    expect(files()).toHaveLength(1);
    sink.fault = () => undefined;
    await until(() => sink.payloads.length === 1);
    await spool.append({ payload: "two" });
    await until(() => sink.payloads.length === 2);
    expect(reports).toContain("spool_superseded");
    await spool.drain(1_000);
  });

  it("a shipper does not start with an epoch below the one on disk", async () => {
    const spool = openSpool(DESTINATION, OPTIONS, context);
    await spool.append({ payload: "one" });
    const late = nextEpoch(directory);
    const sink = new Received();
    const newer = ship(sink);
    await until(() => sink.payloads.length === 1);
    const stale = new Received();
    ship(stale, late);
    await until(() => reports.includes("spool_superseded"));
    await spool.append({ payload: "two" });
    await until(() => sink.payloads.length === 2);
    expect(stale.payloads).toEqual([]);
    expect(newer.destinations).toMatchObject([{ superseded: false }]);
    await spool.drain(1_000);
  });

  it("a shipper opens its sink again when the settings of the destination change", async () => {
    const opened: unknown[] = [];
    const sink = new Received();
    const open = (destination: Destination) => {
      opened.push(destination.settings["password"]);
      return sink;
    };
    const one = openSpool({ ...DESTINATION, settings: { password: "old" } }, OPTIONS, context);
    const shipping = new Shipping({ directory, epoch: nextEpoch(directory), openSink: open, context });
    stops.push(() => shipping.stop(100));
    await one.append({ payload: "1" });
    await until(() => sink.payloads.length === 1);
    const two = openSpool({ ...DESTINATION, settings: { password: "new" } }, OPTIONS, context);
    await two.append({ payload: "2" });
    await until(() => sink.payloads.length === 2);
    expect(opened).toEqual(["old", "new"]);
    await one.drain(1_000);
    await two.drain(1_000);
  });
});
