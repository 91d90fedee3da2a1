import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Configuration } from "../../../runtime/control/configuration.js";
import { Expiry } from "../../../runtime/control/expiry.js";

const logged: string[] = [];
let expiry: Expiry;

/** A configuration with one resource whose time is over, and what becomes of each try to remove it. */
function starting(change: () => Promise<string>): void {
  const resource = { kind: "upstreams", id: "u", value: {}, expires: 1 };
  const resources = { allStored: () => [resource], get: () => resource };
  expiry = new Expiry({ resources, change } as unknown as Configuration);
  expiry.start();
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

it("tries what others still name again and again, and says so once", async () => {
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

it("goes on after a fault", async () => {
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
