import { describe, expect, it } from "vitest";
import type { ClientAddress } from "../../../../plugins/captcha/service/contract.js";
import { addressHash, PrefixRates } from "../../../../plugins/captcha/service/rate/prefix-rates.js";
import { ManualClock } from "../../../support/captcha-clock.js";

const SECRET = Buffer.alloc(32, 3);
const at = (network: string): ClientAddress => ({
  text: `${network}.7`,
  family: 4,
  prefix: `${network}.0/24`,
});
const here = at("203.0.113");
const there = at("203.0.114");
const MINUTE = 60_000;

const opened = (clock = new ManualClock(), most = 1_000) => new PrefixRates(clock, () => SECRET, most);

describe("rates of a network", () => {
  it("the rates count by kind, network and site key, and over all site keys", () => {
    const rates = opened();
    rates.add("session", here, "shop");
    rates.add("session", here, "blog");
    expect(rates.count("session", here, "shop", 1)).toBe(1);
    expect(rates.count("session", here, "", 1)).toBe(2);
    expect(rates.count("session", there, "", 1)).toBe(0);
    expect(rates.count("task_failed", here, "", 1)).toBe(0);
  });

  it("the rates slide: entries older than the window, to ten seconds, do not count", () => {
    const clock = new ManualClock();
    const rates = opened(clock);
    rates.add("session", here, "shop");
    const counts = () =>
      ([1, 10, 60] as const).map((minutes) => rates.count("session", here, "shop", minutes));
    clock.advance(MINUTE);
    expect(counts()).toEqual([1, 1, 1]);
    clock.advance(10_000);
    expect(counts()).toEqual([0, 1, 1]);
    clock.advance(9 * MINUTE);
    expect(counts()).toEqual([0, 0, 1]);
    clock.advance(50 * MINUTE);
    expect(counts()).toEqual([0, 0, 0]);
  });

  it("the rates add up over the window, not over a fixed minute", () => {
    const clock = new ManualClock();
    const rates = opened(clock);
    for (let i = 0; i < 40; i++) {
      rates.add("session", here, "shop");
      clock.advance(3_000);
    }
    const last = rates.count("session", here, "shop", 1);
    expect(last).toBeGreaterThanOrEqual(20);
    expect(last).toBeLessThanOrEqual(24);
    expect(rates.count("session", here, "shop", 10)).toBe(40);
  });

  it("the rates continue at midnight, when the keys of the hashes change", () => {
    const clock = new ManualClock(Date.UTC(2026, 5, 1, 23, 59, 30));
    const rates = opened(clock);
    for (let i = 0; i < 5; i++) rates.add("session", here, "shop");
    clock.advance(45_000);
    rates.add("session", here, "shop");
    expect(rates.count("session", here, "shop", 1)).toBe(6);
    clock.advance(40 * MINUTE);
    expect(rates.count("session", here, "shop", 60)).toBe(6);
  });

  it("memory of rates is bounded: the network that was idle longest is forgotten first", () => {
    const clock = new ManualClock();
    const rates = opened(clock, 100);
    rates.add("session", here, "");
    for (let i = 0; i < 99; i++) rates.add("session", at(`10.0.${i}`), "");
    rates.add("session", here, "");
    for (let i = 0; i < 50; i++) rates.add("session", at(`10.1.${i}`), "");
    expect(rates.size).toBe(100);
    expect(rates.count("session", here, "", 60)).toBe(2);
    expect(rates.count("session", at("10.0.0"), "", 60)).toBe(0);
  });

  it("the rates forget all networks after an hour", () => {
    const clock = new ManualClock();
    const rates = opened(clock);
    for (let i = 0; i < 99; i++) rates.add("session", at(`10.0.${i}`), "");
    clock.advance(61 * MINUTE);
    rates.add("session", here, "");
    expect(rates.size).toBe(1);
  });
});

describe("the name of a network", () => {
  it("the name of a network is a hash of its prefix that changes with the day and the secret", () => {
    const day = Date.UTC(2026, 5, 1);
    const hash = addressHash(SECRET, here, day);
    expect(hash).toMatch(/^[\w-]{22}$/);
    expect(addressHash(SECRET, { ...here, text: "203.0.113.99" }, day + 80_000_000)).toBe(hash);
    expect(addressHash(SECRET, here, day + 86_400_000)).not.toBe(hash);
    expect(addressHash(Buffer.alloc(32, 4), here, day)).not.toBe(hash);
    expect(addressHash(SECRET, there, day)).not.toBe(hash);
  });
});
