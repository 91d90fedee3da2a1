import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileDestination, FileSink } from "../../../plugins/file-logger/runtime/sink.js";
import { type LogEntry, SendError } from "../../../runtime/abi/delivery.js";
import { SenderContext, upTo } from "../../support/sender-context.js";

let directory: string;
let path: string;
let context: SenderContext;
let sinks: FileSink[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-file-logger-"));
  path = join(directory, "requests.log");
  context = new SenderContext();
  sinks = [];
});
afterEach(async () => {
  await Promise.all(sinks.map((sink) => sink.close()));
  rmSync(directory, { recursive: true });
});

function sinkOf(settings: Partial<FileDestination> = {}): FileSink {
  const sink = new FileSink({ path, ...settings }, context);
  sinks.push(sink);
  return sink;
}

const records = (from: number, count: number, filling = ""): LogEntry[] =>
  upTo(count).map((n) => ({ payload: JSON.stringify({ n: from + n, filling }) }));
const linesOf = (file = path) => readFileSync(file, "latin1").split("\n").slice(0, -1);
const numbersOf = (lines: string[]) => lines.map((line) => (JSON.parse(line) as { n: number }).n);
const renamed = () =>
  readdirSync(directory)
    .filter((name) => name.startsWith("requests.log."))
    .sort()
    .map((name) => join(directory, name));

async function failure(sending: Promise<void>): Promise<SendError> {
  const error = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof SendError) return error;
  throw new Error(`no SendError but ${String(error)}`);
}

describe("a file of records", () => {
  it("a log file gets one JSON line for each record, appended, and is created with mode 640", async () => {
    await sinkOf().send(records(0, 2));
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await sinkOf({ flush: true }).send(records(2, 1));
    expect(numbersOf(linesOf())).toEqual([0, 1, 2]);
  });

  it("the next batch creates a new file after the old one was renamed or removed", async () => {
    const sink = sinkOf();
    await sink.send(records(0, 1));
    renameSync(path, `${path}.1`);
    await sink.send(records(1, 1));
    rmSync(path);
    await sink.send(records(2, 1));
    expect(numbersOf(linesOf(`${path}.1`))).toEqual([0]);
    expect(numbersOf(linesOf())).toEqual([2]);
  });

  it("a reopen by SIGUSR1 creates the file without a record", async () => {
    let reopen = () => {};
    const told = Object.assign(context, {
      onReopen: (again: () => void) => {
        reopen = again;
        return () => {};
      },
    });
    const sink = new FileSink({ path }, told);
    sinks.push(sink);
    await sink.send(records(0, 1));
    renameSync(path, `${path}.1`);
    reopen();
    await sink.send([]);
    expect(existsSync(path)).toBe(true);
  });

  it("an incomplete line left by a crash is ended before the next record", async () => {
    writeFileSync(path, '{"n":0}\n{"n":');
    await sinkOf().send(records(1, 1));
    expect(linesOf()).toEqual(['{"n":0}', '{"n":', '{"n":1,"filling":""}']);
  });

  it("records are written to the beginning of a file that copytruncate has emptied", async () => {
    const sink = sinkOf();
    await sink.send(records(0, 1));
    writeFileSync(path, "");
    await sink.send(records(1, 1));
    expect(numbersOf(linesOf())).toEqual([1]);
  });
});

describe("a file with max_bytes", () => {
  it("a file is renamed before it exceeds max_bytes, and as many renamed files remain as keep allows", async () => {
    const sink = sinkOf({ maxBytes: 1_024, keep: 3 });
    expect(sink.batchBytes).toBe(1_024);
    for (let n = 0; n < 40; n++) await sink.send(records(n, 1, "x".repeat(400)));
    const files = [...renamed(), path];
    expect(files).toHaveLength(4);
    for (const file of files) expect(statSync(file).size).toBeLessThanOrEqual(1_024);
    expect(files.flatMap((file) => numbersOf(linesOf(file)))).toEqual(upTo(8).map((n) => 32 + n));
  });

  it("rotation does not remove files of others with a similar name", async () => {
    appendFileSync(`${path}.old`, "kept\n");
    appendFileSync(`${path}.20261125T184019123Z-x`, "kept\n");
    const sink = sinkOf({ maxBytes: 1_024, keep: 1 });
    for (let n = 0; n < 6; n++) await sink.send(records(n, 1, "x".repeat(600)));
    expect(renamed()).toHaveLength(3);
  });

  it("rotation by many writers at once neither loses nor tears a line", async () => {
    const many = upTo(8).map(() => sinkOf({ maxBytes: 8_192, keep: 10_000 }));
    await Promise.all(
      many.map(async (sink, writer) => {
        for (let n = 0; n < 50; n++) await sink.send(records(writer * 1_000 + n * 10, 10, "y".repeat(150)));
      }),
    );
    const found = [...renamed(), path].flatMap((file) => numbersOf(linesOf(file)));
    const sent = many.flatMap((_, writer) => upTo(500).map((n) => writer * 1_000 + n));
    expect(found.sort((a, b) => a - b)).toEqual(sent);
    expect(renamed().length).toBeGreaterThan(20);
    expect(context.reports).toEqual([]);
  });
});

describe("a file that is full and cannot be renamed", () => {
  it("a full file that cannot be renamed is written further, and the failure is reported and counted", async () => {
    // The new name would be longer than file systems allow.
    path = join(directory, `${"n".repeat(240)}.log`);
    const sink = sinkOf({ maxBytes: 1_024, keep: 1 });
    for (let n = 0; n < 3; n++) await sink.send(records(n, 1, "x".repeat(600)));
    expect(numbersOf(linesOf())).toEqual([0, 1, 2]);
    expect(context.reports.map(({ event }) => event)).toEqual([
      "log_file_not_rotated",
      "log_file_not_rotated",
    ]);
    expect(context.reports[0]?.fields).toMatchObject({
      path,
      reason: expect.stringContaining("ENAMETOOLONG"),
    });
    expect(context.metrics.snapshot()).toMatchObject([
      { name: "gw_log_rotations_failed_total", series: [{ labels: { path }, value: 2 }] },
    ]);
  });
});

describe("failed writes", () => {
  it("a write to a missing folder fails with path and cause, and succeeds once the folder exists", async () => {
    path = join(directory, "missing", "requests.log");
    const sink = sinkOf();
    const { message, delivered } = await failure(sink.send(records(0, 3)));
    expect(message).toMatch(/^file \/.*requests\.log: ENOENT: no such file or directory/);
    expect(delivered).toBe(0);
    mkdirSync(join(directory, "missing"));
    await sink.send(records(0, 3));
    expect(numbersOf(linesOf())).toEqual([0, 1, 2]);
  });

  it.each([
    ["/dev/full", /ENOSPC/],
    [tmpdir(), /EISDIR/],
  ])("a write to %s fails with the system's error", async (place, reason) => {
    path = place;
    expect((await failure(sinkOf().send(records(0, 1)))).message).toMatch(reason);
  });

  it("a pipe without a reader fails the batch, and one with a reader gets whole lines", async () => {
    execFileSync("mkfifo", [path]);
    const sink = sinkOf();
    expect((await failure(sink.send(records(0, 1)))).message).toContain("ENXIO");
    const { promises } = await import("node:fs");
    const reader = await promises.open(path, "r+");
    const sending = sink.send(records(0, 200, "z".repeat(900)));
    let text = "";
    const buffer = Buffer.alloc(65_536);
    while (text.split("\n").length <= 200)
      text += buffer.toString("latin1", 0, (await reader.read(buffer)).bytesRead);
    await sending;
    await reader.close();
    expect(numbersOf(text.split("\n").slice(0, -1))).toEqual(upTo(200));
  });
});

const disk = mkdtempSync(join(tmpdir(), "gwc-small-disk-"));
const mount = ["-t", "tmpfs", "-o", "size=64k", "gwc-file-logger-test", disk];
const mounted = spawnSync("mount", mount, { stdio: "ignore" }).status === 0;
afterAll(() => {
  if (mounted) spawnSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});
const because = mounted ? "" : " (mount -t tmpfs is refused here)";

describe.skipIf(!mounted)(`a disk that fills up${because}`, () => {
  it.each([true, false])(
    "a full disk counts whole lines as delivered, and the rest is written once there is room (flush: %s)",
    async (flush) => {
      rmSync(join(disk, "filling"), { force: true });
      rmSync(join(disk, "requests.log"), { force: true });
      writeFileSync(join(disk, "filling"), "f".repeat(45_056));
      path = join(disk, "requests.log");
      const sink = sinkOf({ flush });
      const all = records(0, 60, "v".repeat(700));
      const { delivered, message } = await failure(sink.send(all));
      expect(message).toContain("the disk stored only a part of the batch");
      expect(delivered).toBeGreaterThan(5);
      expect(delivered).toBeLessThan(40);
      expect((await failure(sink.send(all.slice(delivered)))).delivered).toBe(0);
      rmSync(join(disk, "filling"));
      await sink.send(all.slice(delivered));
      const whole = linesOf().filter((line) => line.endsWith("}"));
      expect(numbersOf(whole)).toEqual(upTo(60));
      // The cut line is ended by itself.
      expect(linesOf().length - whole.length).toBeLessThanOrEqual(1);
    },
  );
});
