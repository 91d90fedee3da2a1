import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WriteResult } from "../../../runtime/control/change.js";
import type { Configuration } from "../../../runtime/control/configuration.js";
import { Expiry } from "../../../runtime/control/expiry.js";

const logged: string[] = [];
let expiry: Expiry;

/** Configuration with one expired resource; `change` decides the outcome of each attempt to remove it. */
function starting(
  change: (decide: unknown, written: (outcome: WriteResult) => string) => Promise<string>,
  isFailing = false,
): void {
  const resource = { kind: "upstreams", id: "u", value: {}, expires: 1 };
  const resources = { allStored: () => [resource], get: () => resource };
  expiry = new Expiry({ resources, change } as unknown as Configuration);
  expiry.start(isFailing);
}

beforeEach(() => {
  logged.length = 0;
  vi.useFakeTimers();
  vi.spyOn(process.stderr, "write").mockImplementation((text) => logged.push(String(text)) > 0);
});
afterEach(() => {
  expiry.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("the removal of an expired resource that is still used is retried and logged once", async () => {
  let tries = 0;
  starting(async () => {
    tries += 1;
    return tries < 5 ? "still used" : "removed";
  });
  await vi.advanceTimersByTimeAsync(2_600);
  expect(tries).toBe(5);
  expect(logged.filter((line) => line.includes('"outcome":"still used"'))).toHaveLength(1);
  expect(logged.filter((line) => line.includes('"outcome":"removed"'))).toHaveLength(1);
});

it("the removal of an expired resource is retried after an error", async () => {
  let tries = 0;
  starting(async () => {
    tries += 1;
    if (tries === 1) throw new Error("a write without a compiler");
    return "removed";
  });
  await vi.advanceTimersByTimeAsync(1_100);
  expect(tries).toBe(2);
  expect(logged.join("")).toContain("a write without a compiler");
});

/** Milliseconds after the start at which each attempt begins; the disk fails the first `refusals` of them. */
function triesOf(refusals: number, isFailing: boolean): number[] {
  const tries: number[] = [];
  const began = Date.now();
  starting(async (_, written) => {
    tries.push(Date.now() - began);
    const errorMessage = "the store rejected the write: the disk failed (EIO)";
    return tries.length > refusals
      ? "removed"
      : written({ ok: false, status: 503, errorMessage, diagnostics: [] });
  }, isFailing);
  return tries;
}

it("an expired resource is removed again with growing pauses while the disk fails, and logged once", async () => {
  const tries = triesOf(9, false);
  await vi.advanceTimersByTimeAsync(245_000);
  const pauses = tries.map((at, index) => at - (tries[index - 1] ?? 0));
  expect(pauses.slice(0, 10)).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
  ]);
  expect(pauses[10]).toBe(500);
  expect(logged.filter((line) => line.includes("the disk failed (EIO)"))).toHaveLength(1);
});

it("the removal of an expired resource begins with the longest pause if the disk fails at the start", async () => {
  const tries = triesOf(1, true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(tries).toEqual([60_000, 120_000]);
});
