import { describe, expect, it } from "vitest";
import { Sampler, type SampleSettings } from "../../../runtime/logging/sampler.js";
import { finishedExchange } from "../../support/finished-exchange.js";
import { ReadySink } from "../../support/log-harness.js";
import { openedLogger } from "../../support/logger-harness.js";
import { upTo } from "../../support/sender-context.js";

/** Random source that returns these numbers in turn. */
const chance = (...numbers: number[]) => {
  let next = 0;
  return () => numbers[next++ % numbers.length] as number;
};
const sampler = (settings: Partial<SampleSettings>, random?: () => number, twice = false) =>
  new Sampler({ rate: 0, errors: true, ...settings }, undefined, twice, random);

describe("a sample", () => {
  it("a random sample takes exchanges whose random number is below the rate", () => {
    const by = sampler({ rate: 0.3 }, chance(0, 0.29, 0.3, 0.99));
    expect(upTo(4).map(() => by.takes(finishedExchange()))).toEqual([true, true, false, false]);
  });

  it("a random sample decides once for an exchange that it checks twice", () => {
    const by = sampler({ rate: 0.5 }, chance(0.9, 0.1), true);
    const x = finishedExchange();
    expect([by.takes(x), by.takes(x)]).toEqual([false, false]);
  });

  it("a sample takes errors and slow exchanges if its settings say so", () => {
    const never = () => 1;
    const slow = finishedExchange({ latency: 501 });
    expect(sampler({}, never).takes(finishedExchange({ status: 500 }))).toBe(true);
    expect(sampler({ errors: false }, never).takes(finishedExchange({ status: 500 }))).toBe(false);
    expect(sampler({}, never).takes(finishedExchange({ status: 499 }))).toBe(false);
    expect(sampler({ slowerThanMs: 500 }, never).takes(slow)).toBe(true);
    expect(sampler({ slowerThanMs: 501 }, never).takes(slow)).toBe(false);
    expect(sampler({}, never).takes(slow)).toBe(false);
  });

  it("a sample by key takes its rate of the keys, the same ones each time, and those also at a larger rate", () => {
    const keys = upTo(20_000).map((n) => `198.51.100.7:${n}`);
    const taken = (rate: number) => {
      let key = "";
      const by = new Sampler(
        { rate, errors: false },
        () => key,
        false,
        () => 1,
      );
      const x = finishedExchange();
      return keys.filter((one) => {
        key = one;
        return by.takes(x);
      });
    };
    const [few, more] = [taken(0.01), taken(0.1)];
    expect(few.length / keys.length).toBeCloseTo(0.01, 2);
    expect(more.length / keys.length).toBeCloseTo(0.1, 1);
    expect(taken(0.01)).toEqual(few);
    expect(few.filter((key) => !more.includes(key))).toEqual([]);
  });

  it("a sample by an absent key is random", () => {
    const by = new Sampler({ rate: 0.5, errors: false }, () => undefined, false, chance(0.4, 0.6));
    expect([by.takes(finishedExchange()), by.takes(finishedExchange())]).toEqual([true, false]);
  });
});

describe("a logger with a sample", () => {
  it("a logger with a sample makes no record of other exchanges and does not count them as pushed", async () => {
    const sink = new ReadySink();
    let made = 0;
    const record = () => `{"n":${++made}}`;
    const { logger, metrics } = openedLogger(sink, { record, sample: { rate: 0, errors: true } });
    for (const status of [200, 404, 503]) logger.log(finishedExchange({ status }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(sink.batches.flat()).toEqual(['{"n":1}']);
    const pushed = metrics.snapshot().find(({ name }) => name === "gw_log_entries_pushed_total");
    expect(pushed?.series.map(({ value }) => value)).toEqual([1]);
  });
});
