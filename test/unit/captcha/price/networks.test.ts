import { describe, expect, it } from "vitest";
import { addressOf, HOUR, MINUTE, PriceHarness, SHOP } from "../../../support/captcha-prices.js";

const HERE = "203.0.113.7";
/** Addresses of one /24, in turn. */
const spread = (i: number) => `203.0.113.${i % 250}`;

describe("price of tokens for a network", () => {
  it("[H37] a /24 has at most 60 free tokens in any first hour, however its addresses share them", () => {
    for (const every of [10, 60]) {
      const harness = new PriceHarness();
      let free = 0;
      for (let at = 0; at < 3_600; at += every) {
        for (let i = 0; i < 20; i++) if (harness.visit(spread(i * 7)).stage === "free") free++;
        harness.clock.advance(every * 1_000);
      }
      expect(free).toBeLessThanOrEqual(60);
      expect(free).toBeGreaterThanOrEqual(59);
    }
  });

  it("[H37] the price rises from free over more work and a task to a wait", () => {
    const harness = new PriceHarness({ partShare: 100 });
    const quotes = Array.from({ length: 400 }, () => harness.visit(HERE));
    const stages = quotes.map(({ stage }) => stage);
    const count = (stage: string) => stages.filter((one) => one === stage).length;
    expect([count("free"), count("work"), count("task"), count("wait")]).toEqual([20, 60, 300, 20]);
    expect(stages).toEqual([...stages].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
    const bits = quotes.map((quote) => quote.bits);
    expect(bits.every((more, i) => i === 0 || more >= (bits[i - 1] ?? 0))).toBe(true);
    expect(bits.slice(20, 80)).toEqual([1, 2, 3, 4].flatMap((more) => new Array(15).fill(more)));
    const levels = quotes.map((quote) => quote.level);
    expect(levels.slice(0, 80)).toEqual(new Array(80).fill(0));
    expect(levels.slice(80, 230)).toEqual(new Array(150).fill(1));
    expect(levels.slice(230)).toEqual(new Array(170).fill(2));
  });
  const ORDER = ["free", "work", "task", "wait"];

  it("a wait names its duration and ends then", () => {
    const harness = new PriceHarness({ partShare: 100 });
    harness.visits(380, () => HERE);
    const { stage, retryMs } = harness.quote(HERE);
    expect([stage, retryMs]).toEqual(["wait", 6_000]);
    harness.clock.advance(5_000);
    expect(harness.quote(HERE)).toMatchObject({ stage: "wait", retryMs: 1_000 });
    harness.clock.advance(1_000);
    expect(harness.visit(HERE).stage).not.toBe("wait");
  });

  it("the price falls with time: after half an hour all free tokens are back", () => {
    const harness = new PriceHarness({ partShare: 100 });
    harness.visits(30, () => HERE);
    harness.clock.advance(30 * MINUTE);
    expect(harness.visits(25, () => HERE)).toEqual({ free: 20, work: 5, task: 0, wait: 0 });
  });

  it("[H37] one address uses at most its share, and others of its /24 still have free tokens and need not wait", () => {
    const harness = new PriceHarness();
    expect(harness.visits(1_000, () => HERE)).toEqual({ free: 15, work: 45, task: 225, wait: 715 });
    expect(harness.visits(100, (i) => `203.0.113.${100 + i}`)).toEqual({
      free: 5,
      work: 15,
      task: 75,
      wait: 5,
    });
    expect(harness.visits(1, () => "203.0.114.7").free).toBe(1);
  });

  it("[H37] IPv6 is charged as /64, /56 and /48, and the highest price of them wins", () => {
    const harness = new PriceHarness();
    const house = (i: number) => `2001:db8:1:100::${(i + 1).toString(16)}`;
    // 20 × 0.75 × 0.75
    expect(harness.visits(30, house).free).toBe(11);
    // Another /64 of the same /56 has the rest of its 15.
    expect(harness.visits(30, () => "2001:db8:1:101::1").free).toBe(4);
    // Another /56 of the same /48 has the rest of the 20.
    expect(harness.visits(30, () => "2001:db8:1:200::1").free).toBe(5);
    expect(harness.visits(30, () => "2001:db8:1:300::1").free).toBe(0);
    expect(harness.visits(30, () => "2001:db8:2:100::1").free).toBe(11);
  });

  it("a /48 that takes every token from another /64 has no more than one /24", () => {
    const harness = new PriceHarness();
    const rotating = (i: number) => `2001:db8:1:${(i * 37).toString(16)}::1`;
    expect(harness.visits(1_000, rotating)).toEqual({ free: 20, work: 60, task: 300, wait: 620 });
  });

  it("a network pays for its tokens at all site keys together", () => {
    const harness = new PriceHarness({ partShare: 100 });
    harness.visits(10, () => HERE, SHOP);
    expect(harness.visits(15, () => HERE, "sk_another").free).toBe(10);
  });

  it("a quote costs nothing, and a visitor who waits is not charged", () => {
    const harness = new PriceHarness({ partShare: 100 });
    for (let i = 0; i < 1_000; i++) harness.quote(HERE);
    expect(harness.prices.size).toBe(0);
    harness.visits(1_000, () => HERE);
    harness.clock.advance(HOUR);
    expect(harness.visits(10, () => HERE).free).toBe(10);
  });

  it("a task for the score is charged only to the tokens for tasks", () => {
    const harness = new PriceHarness({ partShare: 100 });
    const sold = Array.from({ length: 160 }, () => harness.prices.sell(addressOf(HERE), SHOP, "task"));
    expect(sold.every(({ stage, bits }) => stage === "task" && bits === 0)).toBe(true);
    expect(sold.map(({ level }) => level)).toEqual([...new Array(150).fill(0), ...new Array(10).fill(2)]);
    expect(harness.visits(20, () => HERE).free).toBe(20);
  });
});

describe("the memory of prices", () => {
  it("memory is bounded: the network that was idle longest is forgotten, one in use is not", () => {
    const harness = new PriceHarness({ networks: 100, partShare: 100 });
    harness.visits(19, () => HERE);
    for (let i = 0; i < 1_000; i++) {
      harness.visit(`10.${i % 250}.${Math.floor(i / 250)}.1`);
      harness.visit(HERE);
    }
    expect(harness.prices.size).toBeLessThanOrEqual(100);
    expect(harness.quote(HERE).stage).toBe("wait");
    expect(harness.quote("10.0.0.1").stage).toBe("free");
  });

  it("the prices continue at midnight, when the names of networks change", () => {
    const harness = new PriceHarness({ partShare: 100 });
    harness.clock.advance(11 * HOUR + 50 * MINUTE);
    const before = harness.prices.sell(addressOf(HERE), SHOP).networks;
    harness.visits(60, () => HERE);
    harness.clock.advance(11 * MINUTE);
    const { stage, networks } = harness.prices.sell(addressOf(HERE), SHOP);
    expect(stage).toBe("free");
    expect(networks).not.toEqual(before);
    // 11 minutes return 7 of the 20, and one is used.
    expect(harness.visits(20, () => HERE).free).toBe(6);
  });

  it("a network has keyed names without addresses", () => {
    const harness = new PriceHarness();
    const { networks } = harness.prices.sell(addressOf(HERE), SHOP);
    expect(networks).toHaveLength(2);
    for (const name of networks) expect(name).toMatch(/^[\w-]{22}$/);
    expect(networks).not.toEqual(new PriceHarness().prices.sell(addressOf("203.0.114.7"), SHOP).networks);
  });
});
