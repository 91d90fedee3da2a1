import type fs from "node:fs";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LogEntry } from "../../../runtime/abi/delivery.js";
import { frameSize, writeFrame } from "../../../runtime/logging/spool/frame.js";
import { readEntries, timeOfEntry } from "../../../runtime/logging/spool/segment-reader.js";
import { addTo, type Group, SegmentWriter } from "../../../runtime/logging/spool/segment-writer.js";

let folder: string;
let handles: fs.promises.FileHandle;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gwc-segments-"));
  const handle = await open(folder, "r");
  handles = Object.getPrototypeOf(handle) as fs.promises.FileHandle;
  await handle.close();
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function groupOf(...entries: LogEntry[]): Group {
  const group: Group = { entries: [], bytes: 0 };
  for (const entry of entries) addTo(group, entry);
  return group;
}

const TIME = Date.parse("2026-01-02T03:04:05.678Z");
const WHOLE = { entries: 10, bytes: 1e9, complete: true };

it.each([65_533, 65_534, 65_535, 65_536, 200_000])(
  "a segment keeps a key of %d bytes next to other keys",
  async (length) => {
    const entries = [{ payload: "a" }, { payload: "b", key: "k".repeat(length) }, { payload: "c", key: "" }];
    const buffer = Buffer.alloc(entries.reduce((sum, one) => sum + frameSize(one), 0));
    let at = 0;
    for (const [i, entry] of entries.entries()) at = writeFrame(buffer, at, entry, i, TIME);
    const file = join(folder, "segment");
    writeFileSync(file, buffer);
    const read = await readEntries(file, 0, WHOLE);
    expect(read.entries).toEqual(entries);
    expect(read.end).toBe(buffer.length);
  },
);

it("an entry of a segment has its time, or that of the last write while it is not whole", async () => {
  const entry = { payload: "x".repeat(10_000), origin: "sys logger\0shop", key: "k".repeat(70_000) };
  const buffer = Buffer.alloc(frameSize(entry) + 7);
  const end = writeFrame(buffer, 0, entry, 0, TIME);
  buffer.copy(buffer, end, 0, 7);
  const file = join(folder, "segment");
  writeFileSync(file, buffer);
  expect(await timeOfEntry(file, 0)).toBe(TIME);
  expect(await timeOfEntry(file, end)).toBe(statSync(file).mtimeMs);
  expect(await timeOfEntry(file, buffer.length)).toBeUndefined();
  expect(await timeOfEntry(join(folder, "absent"), 0)).toBeUndefined();
});

it("a read of a segment ends where the segment is truncated during the read", async () => {
  const file = join(folder, "segment");
  writeFileSync(file, "x".repeat(100));
  const stat = handles.stat;
  vi.spyOn(handles, "stat").mockImplementation(async function (this: fs.promises.FileHandle) {
    const found = await stat.call(this);
    truncateSync(file, 50);
    return found;
  } as typeof stat);
  const read = await readEntries(file, 50, { ...WHOLE, complete: false });
  expect(read).toMatchObject({ entries: [], end: 50, damaged: 0 });
});

/** Writes a group and syncs it to disk. */
async function append(writer: SegmentWriter, group: Group): Promise<void> {
  const segment = await writer.write(group);
  expect(await writer.sync(segment)).toBe(true);
  await writer.release(segment);
}

it("a segment writer continues after a segment whose folder could not be synced", async () => {
  const writer = new SegmentWriter(folder, "0-1-0-a", 1_000, () => {});
  await append(writer, groupOf({ payload: "1".repeat(600) }));
  vi.spyOn(handles, "sync").mockRejectedValueOnce(new Error("EIO"));
  await expect(writer.write(groupOf({ payload: "2".repeat(600) }))).rejects.toThrow("EIO");
  await append(writer, groupOf({ payload: "3".repeat(600) }));
  await append(writer, groupOf({ payload: "4".repeat(100) }));
  await writer.close();
  const payloads: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const { entries, damaged } = await readEntries(join(folder, name), 0, WHOLE);
    expect(damaged).toBe(0);
    payloads.push(...entries.map(({ payload }) => payload.slice(0, 1)));
  }
  expect(payloads).toEqual(["1", "3", "4"]);
});

it("a segment writer truncates entries behind a failed sync and never writes there again", async () => {
  const writer = new SegmentWriter(folder, "0-1-0-a", 1_000, () => {});
  await append(writer, groupOf({ payload: "1" }));
  let fail: (error: Error) => void = () => {};
  vi.spyOn(handles, "datasync").mockImplementationOnce(() => new Promise((_, reject) => (fail = reject)));
  const second = await writer.write(groupOf({ payload: "2" }));
  const flush = writer.sync(second);
  const third = await writer.write(groupOf({ payload: "3" }));
  fail(new Error("EIO"));
  await expect(flush).rejects.toThrow("EIO");
  await expect(writer.sync(third)).rejects.toThrow("EIO");
  for (const segment of [second, third]) await writer.release(segment);
  await append(writer, groupOf({ payload: "4" }));
  await writer.close();
  const payloads: string[] = [];
  for (const name of (await readdir(folder)).sort())
    payloads.push(...(await readEntries(join(folder, name), 0, WHOLE)).entries.map(({ payload }) => payload));
  expect(payloads).toEqual(["1", "4"]);
});
