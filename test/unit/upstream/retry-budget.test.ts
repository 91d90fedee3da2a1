import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RetryBudget } from "../../../runtime/proxy/upstream/retry-budget.js";

const TEN_SECONDS = 10_000;

function granted(budget: RetryBudget, times: number, now: number): number {
  return Array.from({ length: times }, () => budget.take(now)).filter(Boolean).length;
}

describe("a retry budget", () => {
  it("a retry budget grants minPerSecond retries in every ten seconds to an upstream without requests", () => {
    const budget = new RetryBudget(0, { percent: 20, minPerSecond: 1 });
    expect(granted(budget, 50, 100)).toBe(10);
    expect(granted(budget, 50, TEN_SECONDS + 200)).toBe(10);
  });

  it("a retry budget grants its percentage of the requests of ten seconds", () => {
    const budget = new RetryBudget(0, { percent: 20, minPerSecond: 0 });
    budget.requests += 1_000;
    expect(granted(budget, 1_000, 5_000)).toBe(200);
    // The counted requests are more than ten seconds old.
    expect(granted(budget, 1_000, 60_000)).toBeLessThan(40);
  });

  it("a retry budget of 0 grants nothing, and a new budget counts the retries of the previous one", () => {
    expect(granted(new RetryBudget(0, { percent: 0, minPerSecond: 0 }), 10, 1_000)).toBe(0);
    const before = new RetryBudget(0, { percent: 20, minPerSecond: 1 });
    granted(before, 50, 1_000);
    expect(granted(new RetryBudget(2_000, { percent: 20, minPerSecond: 1 }, before), 50, 3_000)).toBe(0);
  });

  it("a retry budget grants in any nine seconds at most its share of the requests of the last 15 s", () => {
    const step = fc.record({
      wait: fc.nat(4_000),
      requests: fc.nat(300),
      asked: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const budget = new RetryBudget(0, { percent: 20, minPerSecond: 2 });
        const past: { at: number; requests: number; granted: number }[] = [];
        let now = 0;
        for (const { wait, requests, asked } of steps) {
          now += wait + 1;
          budget.requests += requests;
          const count = granted(budget, asked, now);
          past.push({ at: now, requests, granted: count });
          if (count === 0) continue;
          // Retries of one second share a mark, so those of nine seconds are counted in full. The first mark
          // is at most one wait and a second older than the window.
          const recent = past.filter(({ at }) => at > now - TEN_SECONDS + 1_000);
          const wider = past.filter(({ at }) => at > now - TEN_SECONDS - 5_001);
          const retries = recent.reduce((sum, one) => sum + one.granted, 0);
          const all = wider.reduce((sum, one) => sum + one.requests, 0);
          expect(retries).toBeLessThanOrEqual(all * 0.2 + 20);
        }
      }),
    );
  });
});
