import { beforeEach, describe, expect, it } from "vitest";
import { HOUR, MINUTE, PriceHarness, SHOP } from "../../../support/captcha-prices.js";

let harness: PriceHarness;
let networks = 0;
beforeEach(() => {
  harness = new PriceHarness();
  networks = 0;
});

/** Another network each time. */
const elsewhere = () => {
  networks++;
  return `10.${networks % 250}.${Math.floor(networks / 250) % 250}.9`;
};
/** Takes `tokens` tokens in each of `count` windows of five minutes. */
function windows(count: number, tokens: number): void {
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < tokens; j++) harness.visit(elsewhere());
    harness.clock.advance(5 * MINUTE);
  }
}
const level = () => harness.quote("192.0.2.1").attack;

describe("a site under attack", () => {
  it("[H38] each five minutes above four times the usual tokens raise the attack by a level, to three at most", () => {
    windows(12, 40);
    expect(level()).toBe(0);
    windows(1, 159);
    expect(level()).toBe(0);
    // The previous window has raised the usual level by a twelfth of the difference: to 50.
    windows(1, 205);
    expect(level()).toBe(1);
    windows(1, 205);
    expect(level()).toBe(2);
    windows(3, 205);
    expect(level()).toBe(3);
  });

  it("[H38] an attack is noticed within the window, not at its end", () => {
    windows(12, 40);
    for (let i = 0; i < 162; i++) harness.visit(elsewhere());
    expect(level()).toBe(1);
    for (let i = 0; i < 1_000; i++) harness.visit(elsewhere());
    expect(level()).toBe(1);
  });

  it("[H38] a site below the floor is never under attack", () => {
    windows(12, 1);
    windows(3, 50);
    expect(level()).toBe(0);
  });

  it("[H38] an attack goes down a level after fifteen minutes below twice the usual level, which stays as it was", () => {
    windows(12, 40);
    windows(3, 500);
    expect(level()).toBe(3);
    windows(20, 90);
    expect(level()).toBe(3);
    windows(3, 70);
    expect(level()).toBe(2);
    windows(2, 70);
    windows(1, 90);
    windows(2, 70);
    expect(level()).toBe(2);
    windows(1, 70);
    expect(level()).toBe(1);
    windows(3, 0);
    expect(level()).toBe(0);
    expect(harness.prices.attacks()).toEqual({});
  });

  it("[H38] each hour of the week has its own usual level", () => {
    // Two weeks: 200 in five minutes in one hour of Monday, at noon, and 10 in all others.
    for (let hour = 0; hour < 2 * 168; hour++) windows(12, hour % 168 === 0 ? 200 : 10);
    expect(harness.prices.attacks()).toEqual({});
    windows(1, 300);
    expect(level()).toBe(0);
    windows(11, 200);
    windows(1, 300);
    expect(level()).toBe(1);
  });

  it("the first quarter of an hour is no attack, because it has no usual level", () => {
    windows(2, 1_000);
    expect(level()).toBe(0);
  });

  it("[H38] failures count like tokens", () => {
    windows(12, 1);
    for (let i = 0; i < 51; i++) harness.prices.count(SHOP, "failures");
    expect(level()).toBe(1);
  });

  it("traffic that lasts for a day becomes the usual level", () => {
    windows(12, 40);
    windows(24 * 12 - 3, 300);
    expect(level()).toBe(3);
    windows(6, 300);
    expect(level()).toBe(0);
    windows(12, 300);
    expect(level()).toBe(0);
  });

  it("[H38] an attack costs every visitor at most three bits and one level, and other site keys nothing", () => {
    windows(12, 40);
    windows(3, 500);
    expect(harness.quote("192.0.2.1")).toMatchObject({ stage: "free", bits: 3, level: 1, attack: 3 });
    expect(harness.quote("192.0.2.1", "sk_other")).toMatchObject({ stage: "free", bits: 0, attack: 0 });
  });

  it("[H38] under attack each token of a network above its share counts for up to eight", () => {
    windows(12, 40);
    windows(3, 500);
    const { free } = harness.visits(30, (i) => `192.0.2.${i}`);
    expect(free).toBe(3);
    windows(6, 500);
    // 24 of 20 were charged, half an hour has returned 20, and each counts for eight.
    expect(harness.visits(30, (i) => `192.0.2.${i}`).free).toBe(2);
    for (let i = 0; i < 5; i++) {
      expect(harness.visit("198.51.100.1").stage).toBe("free");
      harness.clock.advance(HOUR);
    }
  });

  it("[H38] each change of an attack's level is logged, and metric and snapshot report the attack", () => {
    windows(12, 40);
    windows(2, 500);
    windows(6, 40);
    level();
    expect(harness.reports.map(({ event, fields }) => [event, fields["level"]])).toEqual([
      ["captcha_attack", 1],
      ["captcha_attack", 2],
      ["captcha_attack", 1],
      ["captcha_attack_over", 0],
    ]);
    expect(harness.reports[0]?.fields).toMatchObject({ site_key: SHOP, tokens: 161, usual_tokens: 40 });
    windows(1, 500);
    expect(harness.prices.attacks()).toEqual({
      [SHOP]: { level: 1, since: expect.stringMatching(/^2026-/) },
    });
    const gauge = harness.metrics.snapshot().find(({ name }) => name === "gw_captcha_attack_level");
    expect(gauge?.series).toEqual([{ labels: { site_key: SHOP }, value: 1 }]);
  });
});

describe("the tokens of one site key", () => {
  it("[H37] tokens of a site key beyond its allowance cost all visitors up to three more bits, never a task", () => {
    harness = new PriceHarness({ site: { burst: 300, hourly: 600 }, attackFloor: 1_000_000 });
    const bits = Array.from({ length: 700 }, () => harness.visit(elsewhere()));
    expect(bits.every(({ stage }) => stage === "free")).toBe(true);
    expect(bits.slice(0, 300).every((quote) => quote.bits === 0)).toBe(true);
    expect(bits.slice(300, 600).map((quote) => quote.bits)).toEqual(
      [1, 2, 3].flatMap((more) => new Array(100).fill(more)),
    );
    expect(bits.at(-1)?.bits).toBe(3);
    harness.clock.advance(HOUR);
    expect(harness.quote("192.0.2.1").bits).toBe(0);
  });
});

describe("a report of a backend", () => {
  it("[H40] a report of fraud takes twenty tokens from the network and counts as five failures of the site", () => {
    const { networks: names } = harness.prices.sell({ text: "192.0.2.1", family: 4, prefix: "" }, SHOP);
    harness.prices.report(names, SHOP, "fraud");
    expect(harness.quote("192.0.2.1")).toMatchObject({ stage: "work", bits: 2 });
    expect(harness.quote("192.0.2.200")).toMatchObject({ stage: "work", bits: 2 });
    expect(harness.quote("198.51.100.1").stage).toBe("free");
    for (let i = 0; i < 3; i++) harness.prices.report(names, SHOP, "fraud");
    expect(harness.quote("192.0.2.1").stage).toBe("task");
    windows(3, 0);
    for (let i = 0; i < 11; i++) harness.prices.report([], SHOP, "fraud");
    expect(level()).toBe(1);
  });

  it("[H40] a report of a good customer returns five tokens", () => {
    harness = new PriceHarness({ partShare: 100 });
    harness.visits(30, () => "192.0.2.1");
    const { networks: names } = harness.prices.sell({ text: "192.0.2.1", family: 4, prefix: "" }, SHOP);
    harness.prices.report(names, SHOP, "good");
    expect(harness.visits(10, () => "192.0.2.1").free).toBe(5);
  });

  it("[H40] a report finds its network after midnight too", () => {
    harness.clock.advance(11 * HOUR + 59 * MINUTE);
    const { networks: names } = harness.prices.sell({ text: "192.0.2.1", family: 4, prefix: "" }, SHOP);
    harness.clock.advance(2 * MINUTE);
    harness.visit("192.0.2.1");
    harness.prices.report(names, SHOP, "fraud");
    expect(harness.quote("192.0.2.1").stage).toBe("work");
  });
});
