import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

/** Leaves a record of a writer that has ended. */
function leave(id: string): void {
  mkdirSync(join(directory, id));
  const entry = { payload: "left" };
  const buffer = Buffer.alloc(frameSize(entry));
  writeFrame(buffer, 0, entry, 0);
  writeFileSync(join(directory, id, "0-4194305-0-a.00000001.seg"), buffer);
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
