import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Holdings } from "../../../../plugins/captcha/service/store/holdings.js";

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      add: fc.nat(30),
      bytes: fc.integer({ min: 1, max: 400 }),
      network: fc.nat(5),
      idle: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(30) }) },
);

describe("bookkeeping of entries by network", () => {
  it("the holdings never exceed the budget or a network's share, and return exactly the evicted keys", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const budget = { bytes: 2_000, entries: 12, share: 50 };
        const holdings = new Holdings(budget);
        const model = new Map<string, { bytes: number; network: string }>();
        for (const one of steps) {
          if ("remove" in one) {
            holdings.remove(`k${one.remove}`);
            model.delete(`k${one.remove}`);
          } else {
            const [key, network] = [`k${one.add}`, `n${one.network}`];
            model.delete(key);
            for (const gone of holdings.add(key, one.bytes, network, one.idle) ?? []) {
              expect(model.has(gone)).toBe(true);
              model.delete(gone);
            }
            model.set(key, { bytes: one.bytes, network });
            const own = [...model.values()].filter((entry) => entry.network === network);
            expect(own.length).toBeLessThanOrEqual(6);
            expect(own.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1_000);
          }
          expect(holdings.entries).toBe(model.size);
          expect(holdings.bytes).toBe([...model.values()].reduce((sum, { bytes }) => sum + bytes, 0));
          expect(holdings.entries).toBeLessThanOrEqual(budget.entries);
          expect(holdings.bytes).toBeLessThanOrEqual(budget.bytes);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("the holdings evict nothing from a small network while others have more, however many they are", () => {
    const holdings = new Holdings({ bytes: 1_000_000, entries: 100, share: 10 });
    holdings.add("innocent", 100, "home", true);
    const gone = new Set<string>();
    for (let i = 0; i < 1_000; i++)
      for (const key of holdings.add(`f${i}`, 100, `attacker ${i % 40}`, false) ?? []) gone.add(key);
    expect(gone.has("innocent")).toBe(false);
    expect(gone.size).toBe(901);
    expect(holdings.evicted).toBe(901);
  });

  it("the holdings reject an entry larger than the budget, and keep the others", () => {
    const holdings = new Holdings({ bytes: 100, entries: 10, share: 100 });
    holdings.add("a", 60, "n", false);
    expect(holdings.add("b", 101, "n", false)).toBeUndefined();
    expect(holdings.entries).toBe(1);
    expect(holdings.add("c", 60, "m", false)).toEqual(["a"]);
  });

  it("the holdings find the largest of 50,000 networks without a scan", () => {
    const holdings = new Holdings({ bytes: 1e12, entries: 50_000, share: 100 });
    for (let i = 0; i < 50_000; i++) holdings.add(`k${i}`, 500, `n${i}`, true);
    // With a scan of all networks each add took a hundred milliseconds: half an hour in total.
    for (let i = 0; i < 20_000; i++) holdings.add(`x${i}`, 500, `m${i}`, true);
    expect(holdings.entries).toBe(50_000);
  });
});
