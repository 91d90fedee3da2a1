import { describe, expect, it } from "vitest";
import { Expiry, type PageClock } from "../../../../plugins/captcha/widget/loader/expiry.js";

/** A manual clock; only `pass` runs its timers. */
class TestClock implements PageClock {
  now = 1_000;
  date = Date.UTC(2026, 0, 1);
  #timers = new Map<number, { at: number; call: () => void }>();
  #next = 0;

  monotonic = () => this.now;
  wall = () => this.date;
  after(ms: number, call: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.now + ms, call });
    return () => this.#timers.delete(id);
  }

  pass(ms: number): void {
    this.now += ms;
    this.date += ms;
    for (const [id, { at, call }] of [...this.#timers]) {
      if (at > this.now) continue;
      this.#timers.delete(id);
      call();
    }
  }
}

function token(ttl: number) {
  const clock = new TestClock();
  const ends: number[] = [];
  const expiry = new Expiry(clock, ttl, () => ends.push(clock.now - 1_000));
  return { clock, ends, expiry };
}

describe("life of a token in the page", () => {
  it.each([2_000, 300_000])(
    "[A58] the page's expiry fires at the end of the token and not before, once: %d ms",
    (ttl) => {
      const { clock, ends } = token(ttl);
      clock.pass(ttl - 1);
      expect(ends).toEqual([]);
      clock.pass(1);
      clock.pass(10_000);
      expect(ends).toEqual([ttl]);
    },
  );

  it("[A59] the expiry does not depend on the year of the user's clock", () => {
    const { clock, ends } = token(300_000);
    clock.pass(1_000);
    clock.date -= 366 * 86_400_000;
    clock.pass(299_000);
    expect(ends).toEqual([300_000]);
  });

  it("the expiry fires on return after a sleep in which timers and the monotonic clock stopped", () => {
    const { clock, ends, expiry } = token(300_000);
    clock.pass(10_000);
    clock.date += 3_600_000;
    expect(ends).toEqual([]);
    expiry.check();
    expect(ends).toHaveLength(1);
  });

  it("the expiry fires on return when a throttled timer is late", () => {
    const { clock, ends, expiry } = token(300_000);
    clock.now += 301_000;
    clock.date += 301_000;
    expiry.check();
    expect(ends).toHaveLength(1);
  });

  it("a stopped expiry never fires", () => {
    const { clock, ends, expiry } = token(300_000);
    expiry.stop();
    clock.pass(400_000);
    expiry.check();
    expect(ends).toEqual([]);
  });
});
