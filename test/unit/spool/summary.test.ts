import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { frameSize, writeFrame } from "../../../runtime/logging/spool/frame.js";
import { purge, summarize } from "../../../runtime/logging/spool/summary.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-summary-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const SEGMENT = "0-4194305-0-a.00000001.seg";
const TIME = Date.parse("2026-01-02T03:04:05.678Z");
/** Entry as version 0.2.0 wrote it, without a time. */
const UNDATED = Buffer.from("R1dTMhoAAAAzaiSNAAAAAA8A//9zeXMgbG9nZ2VyAHNob3BvbGQ=", "base64");

function frameOf(payload: string, time = TIME): Buffer {
  const buffer = Buffer.alloc(frameSize({ payload }));
  writeFrame(buffer, 0, { payload }, 0, time);
  return buffer;
}

/** Leaves records of a writer that has ended. @returns their file */
function leave(id: string, ...frames: Buffer[]): string {
  mkdirSync(join(directory, id));
  const file = join(directory, id, SEGMENT);
  writeFileSync(file, Buffer.concat(frames.length === 0 ? [frameOf("left")] : frames));
  return file;
}

function deliver(id: string, bytes: number): void {
  const text = JSON.stringify({ delivered: { [SEGMENT]: bytes } });
  writeFileSync(join(directory, id, "cursor.json"), text);
}

it.each([undefined, "", '{"kind"', "null", "{}"])(
  "the summary of spools counts records whose destination.json is %j",
  async (description) => {
    leave("d1");
    if (description !== undefined) writeFileSync(join(directory, "d1", "destination.json"), description);
    const [found, ...others] = await summarize(directory);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id: "d1", kind: "unknown", entries: 1 });
    expect(found?.error).toContain("destination.json");
    expect(await purge(directory, "d1")).toBe(1);
  },
);

it("the summary of spools skips a folder without records and description", async () => {
  mkdirSync(join(directory, "lost+found"));
  expect(await summarize(directory)).toEqual([]);
});

it("the summary of an absent directory is empty, and that of a file fails", async () => {
  expect(await summarize(join(directory, "absent"))).toEqual([]);
  writeFileSync(join(directory, "file"), "");
  await expect(summarize(join(directory, "file"))).rejects.toThrow("ENOTDIR");
});

it("the summary of spools treats a shipper.json of null as absent", async () => {
  leave("d1");
  writeFileSync(join(directory, "d1", "shipper.json"), "null");
  const [found] = await summarize(directory);
  expect(found).toMatchObject({ id: "d1", entries: 1 });
  expect(found).not.toHaveProperty("shipper");
});

it("the summary of a spool has the time of its oldest undelivered record, and none once all are delivered", async () => {
  const frames = [frameOf("first"), frameOf("second", TIME + 60_000), frameOf("third", TIME + 90_000)];
  leave("d1", ...frames);
  const oldest = async () => (await summarize(directory))[0]?.oldest;
  expect(await oldest()).toBe("2026-01-02T03:04:05.678Z");
  deliver("d1", frames[0]?.length ?? 0);
  expect(await oldest()).toBe("2026-01-02T03:05:05.678Z");
  deliver("d1", Buffer.concat(frames).length);
  expect(await oldest()).toBeUndefined();
});

it("the summary of a spool takes the time of the file for records without a time", async () => {
  const file = leave("d1", UNDATED, frameOf("new"));
  const { birthtimeMs, mtimeMs } = statSync(file);
  const oldest = async () => (await summarize(directory))[0];
  expect(await oldest()).toMatchObject({
    entries: 2,
    oldest: new Date(birthtimeMs || mtimeMs).toISOString(),
  });
  deliver("d1", UNDATED.length);
  expect(await oldest()).toMatchObject({ entries: 1, oldest: "2026-01-02T03:04:05.678Z" });
});

it("the summary of a spool takes the time of the next readable record for an unreadable one", async () => {
  const broken = frameOf("broken");
  broken.write("###", 0);
  leave("d1", broken, frameOf("whole", TIME + 60_000));
  expect(await summarize(directory)).toMatchObject([{ entries: 1, oldest: "2026-01-02T03:05:05.678Z" }]);
});
