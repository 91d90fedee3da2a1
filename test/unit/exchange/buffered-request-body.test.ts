import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { BufferOutcome } from "../../../runtime/abi/exchange.js";
import type { BodySink } from "../../../runtime/http/body-decoder.js";
import { BodyCapture } from "../../../runtime/proxy/exchange/body-capture.js";
import {
  BufferedRequestBody,
  type RequestBodySource,
} from "../../../runtime/proxy/exchange/buffered-request-body.js";

const MAX = 40;

/** Body that arrives in pieces whether it is paused or not, as the pieces of one read do. */
function arriving(budgetBytes = 1_000_000) {
  let sink: BodySink | undefined;
  const source: RequestBodySource = {
    finished: false,
    onAbort: undefined,
    readBody: (reader) => {
      sink = reader;
    },
    pauseBody() {},
    resumeBody() {},
  };
  const budget = { bufferedBytes: 0, limits: { bufferedBodyBytes: budgetBytes } };
  const held = new BufferedRequestBody(source, budget);
  const give = (piece: string) => {
    // The buffer is borrowed: it is overwritten as soon as the call returns.
    const bytes = Buffer.from(`<${piece}>`, "latin1");
    sink?.data(bytes, 1, bytes.length - 1);
    bytes.fill("!");
    sink?.fed?.();
  };
  return { held, source, budget, give, end: (trailers?: string) => sink?.end(trailers) };
}

/** Sink that collects its input. */
function collected() {
  let text = "";
  const ends: (string | undefined)[] = [];
  const sink: BodySink = {
    data: (buffer, start, end) => {
      text += buffer.toString("latin1", start, end);
      return false;
    },
    end: (trailers) => void ends.push(trailers),
  };
  return { sink, ends, text: () => text };
}

const pieces = fc.array(fc.stringMatching(/^[a-z.]{0,12}$/), { maxLength: 10 });
const cuts = fc.array(fc.tuple(fc.nat(MAX), fc.nat(8), fc.boolean()), { maxLength: 4 });

describe("a buffered request body", () => {
  it("a buffered request body is shown up to its limit and passed on without cuts, in any pieces", async () => {
    const run = fc.asyncProperty(pieces, fc.nat(10), cuts, async (all, before, wanted) => {
      const { held, budget, give, end } = arriving();
      const whole = all.join("");
      let seen = "";
      const outcome: { of?: BufferOutcome } = {};
      const waiting = held
        .hold(MAX, (bytes) => {
          seen = bytes.toString("latin1");
          return seen.includes(".");
        })
        .then((how) => (outcome.of = how));
      for (const piece of all.slice(0, before)) give(piece);
      if (before >= all.length) end("T: 1\r\n");
      await Promise.resolve();
      const arrived = all.slice(0, before).join("");
      for (const [start, length, upstream] of wanted)
        if (start + length <= arrived.length) held.cut(start, start + length, upstream);
      const capture = new BodyCapture(undefined);
      const owner = {};
      capture.want(owner, 1_000);
      held.keepIn(capture);
      const cutBytes = held.cutBytes;
      const { sink, text, ends } = collected();
      held.passTo(sink);
      for (const piece of all.slice(before)) give(piece);
      if (before < all.length) end("T: 1\r\n");
      const gone = (upstreamOnly: boolean) => {
        const fits = wanted.filter(([start, length]) => start + length <= arrived.length);
        const isCut = (i: number) =>
          fits.some(([start, length, up]) => (up || !upstreamOnly) && i >= start && i < start + length);
        return [...whole].filter((_, i) => !isCut(i)).join("");
      };
      expect(text()).toBe(gone(true));
      expect(whole.length - cutBytes).toBe(text().length);
      expect(ends).toEqual(["T: 1\r\n"]);
      expect(capture.of(owner)?.text).toBe(
        gone(false).slice(0, gone(false).length - (whole.length - arrived.length)),
      );
      expect(budget.bufferedBytes).toBe(0);
      expect(whole.startsWith(seen)).toBe(true);
      expect(seen.length).toBeLessThanOrEqual(MAX);
      if (outcome.of !== undefined) await waiting;
    });
    await fc.assert(run, { numRuns: 2_000 });
  });

  it("a buffered request body reports why buffering stopped: match, end, limit, no room or abort", async () => {
    const found = arriving();
    const first = found.held.hold(MAX, (bytes) => bytes.includes(46));
    found.give("a.b");
    expect(await first).toBe("enough");
    const ended = arriving();
    const second = ended.held.hold(MAX, () => false);
    ended.give("ab");
    ended.end();
    expect(await second).toBe("ended");
    const long = arriving();
    const third = long.held.hold(MAX, () => false);
    long.give("x".repeat(MAX + 1));
    expect(await third).toBe("limit");
    const full = arriving(10);
    const fourth = full.held.hold(MAX, () => false);
    full.give("x".repeat(6));
    expect(await fourth).toBe("room");
    const gone = arriving();
    const fifth = gone.held.hold(MAX, () => false);
    gone.source.onAbort?.();
    expect(await fifth).toBe("gone");
  });

  it("a buffered request body of exactly the limit ends, and one of one byte more exceeds it", async () => {
    for (const [length, outcome] of [
      [MAX, "ended"],
      [MAX + 1, "limit"],
    ] as const) {
      const { held, give, end } = arriving();
      const ends: boolean[] = [];
      const waiting = held.hold(MAX, (_, ended) => {
        ends.push(ended);
        return false;
      });
      give("x".repeat(length));
      end();
      expect(await waiting).toBe(outcome);
      expect(ends.at(-1)).toBe(outcome === "ended");
    }
  });

  it("a buffered request body accepts 30000 cuts in order without sorting them", async () => {
    const { held, give, end } = arriving();
    const waiting = held.hold(100_000, (_, ended) => ended);
    give("t=&".repeat(30_000));
    end();
    await waiting;
    const sort = vi.spyOn(Array.prototype, "sort");
    for (let i = 0; i < 30_000; i++) held.cut(3 * i, 3 * i + 3, true);
    const sorted = sort.mock.calls.length;
    sort.mockRestore();
    expect(sorted).toBe(0);
    expect(held.cutBytes).toBe(90_000);
  });

  it("a buffered request body that is dropped frees its budget and buffers nothing more", async () => {
    const { held, budget, give, end } = arriving();
    const waiting = held.hold(MAX, () => true);
    give("abc");
    await waiting;
    expect(budget.bufferedBytes).toBe(3);
    held.drop();
    give("def");
    end();
    held.drop();
    expect(budget.bufferedBytes).toBe(0);
    expect(await held.hold(MAX, () => true)).toBe("gone");
  });
});
