import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../runtime/abi/delivery.js";
import { frameSize, writeFrame } from "../../runtime/logging/spool/frame.js";
import { readEntries } from "../../runtime/logging/spool/segment-reader.js";
import { runs } from "../support/runs.js";

const directory = mkdtempSync(join(tmpdir(), "gwc-segments-"));
const file = join(directory, "segment");
const TIME = Date.parse("2026-01-02T03:04:05.678Z");
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Byte strings, some with the mark that begins a frame. */
const bytes = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
      fc.constant("GWS2"),
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""));
const entry: fc.Arbitrary<LogEntry> = fc.oneof(
  bytes.map((payload) => ({ payload })),
  fc.record({ payload: bytes, key: bytes }),
);
const entries = fc.array(entry, { minLength: 1, maxLength: 8 });

function segmentOf(all: readonly LogEntry[]): { segment: Buffer; starts: number[] } {
  const segment = Buffer.alloc(all.reduce((sum, one) => sum + frameSize(one), 0));
  const starts: number[] = [];
  let at = 0;
  for (const [i, one] of all.entries()) {
    starts.push(at);
    at = writeFrame(segment, at, one, i, TIME);
  }
  return { segment, starts };
}

/** All readable entries of a segment, in as many reads as needed. */
async function readAll(segment: Buffer, most = 3, complete = true) {
  writeFileSync(file, segment);
  const read = { entries: [] as LogEntry[], damaged: 0, torn: 0 };
  for (let at = 0; ; ) {
    const { entries, end, damaged, torn } = await readEntries(file, at, {
      entries: most,
      bytes: 1e9,
      complete,
    });
    read.entries.push(...entries);
    read.damaged += damaged;
    read.torn = torn;
    if (end === at) return read;
    at = end;
  }
}

describe("a segment", () => {
  it("a segment returns the written entries", async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        expect(await readAll(segmentOf(all).segment)).toEqual({ entries: all, damaged: 0, torn: 0 });
      }),
    );
  });

  it("a segment that was cut in its last frame has all entries but that one, and no damage", async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const { segment, starts } = segmentOf(all);
        const last = starts.at(-1) ?? 0;
        for (let end = last; end < segment.length; end++) {
          const read = await readAll(segment.subarray(0, end));
          expect(read.entries).toEqual(all.slice(0, -1));
          expect(read.damaged === 0 || all.at(-1)?.payload.includes("GWS2")).toBe(true);
        }
      }),
      { numRuns: runs(30) },
    );
  });

  it("a segment in the middle of a write has no damage, though its entry contains the bytes of another", async () => {
    const { segment: inner } = segmentOf([{ payload: "forged" }]);
    const { segment } = segmentOf([{ payload: `before ${inner.toString("latin1")} after` }]);
    for (let end = 0; end < segment.length; end++)
      expect(await readAll(segment.subarray(0, end), 3, false)).toMatchObject({ entries: [], damaged: 0 });
  });

  it("a segment with a damaged byte loses the entry of that byte and no other", async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), async (all, place, change) => {
        const { segment, starts } = segmentOf([...all, { payload: "the end" }]);
        const at = place % (segment.length - frameSize({ payload: "the end" }));
        segment.writeUInt8(segment.readUInt8(at) ^ change, at);
        const hit = starts.filter((start) => start <= at).length - 1;
        const { entries: read } = await readAll(segment, 100);
        expect(read).toEqual([...all.filter((_, i) => i !== hit), { payload: "the end" }]);
      }),
      { numRuns: runs(300) },
    );
  });
});
