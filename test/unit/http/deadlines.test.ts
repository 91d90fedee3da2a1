import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { Deadlines, type Timed, within } from "../../../runtime/http/deadlines.js";
import { filesBelow, read } from "../../architecture/sources.js";

const TICK_MS = 10;

/** Makes deadlines with one member, on a clock that the test advances. */
function underTest() {
  let time = 1_000;
  const deadlines = new Deadlines(TICK_MS, () => time);
  onTestFinished(() => deadlines.close());
  let expirations = 0;
  const member: Timed = { deadline: 0, expired: () => void expirations++ };
  deadlines.add(member);
  return {
    deadlines,
    member,
    get expirations() {
      return expirations;
    },
    advance: (ms: number) => void (time += ms),
  };
}

/** Resolves after some ticks. */
const ticks = () => wait(10 * TICK_MS);

/** Blocks the main thread. */
const hold = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Opens a loopback connection and returns both ends. */
async function pair(): Promise<[near: Socket, far: Socket]> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const near = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [far] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return [near, far];
}

describe("deadlines", () => {
  it("a member expires once when its deadline has passed, and not before", async () => {
    const test = underTest();
    test.member.deadline = test.deadlines.now + 100;
    test.advance(100);
    await ticks();
    expect(test.expirations).toBe(0);
    test.advance(1);
    await expect.poll(() => test.expirations).toBe(1);
    await ticks();
    expect(test.expirations).toBe(1);
  });

  it("a deadline starts at the next tick, however late, and expires after its full time", async () => {
    const test = underTest();
    // The event loop was busy for 300 ms since the last tick when the deadline is set.
    test.advance(300);
    test.member.deadline = within(1_000);
    await expect.poll(() => test.member.deadline).toBe(1_300 + 1_000);
    for (const ms of [400, 400, 200]) {
      test.advance(ms);
      await ticks();
    }
    expect(test.expirations).toBe(0);
    test.advance(1);
    await expect.poll(() => test.expirations).toBe(1);
  });

  it("a deadline that is set again before each tick does not expire", async () => {
    const test = underTest();
    for (let i = 0; i < 10; i++) {
      test.member.deadline = within(50);
      test.advance(50);
      await ticks();
    }
    expect(test.expirations).toBe(0);
    test.advance(51);
    await expect.poll(() => test.expirations).toBe(1);
  });

  it("no code of the gateway computes a deadline from the last tick, which may be long ago", () => {
    const counting = [...filesBelow("runtime", ".ts"), ...filesBelow("plugins", ".ts")].filter((path) =>
      /deadlines\.now \+/.test(read(path)),
    );
    expect(counting).toEqual([]);
  });

  it("a deadline in 0 ms expires", async () => {
    const test = underTest();
    test.member.deadline = within(0);
    await ticks();
    test.advance(2);
    await expect.poll(() => test.expirations).toBe(1);
  });

  it("the time of a stopped process counts for a tick and half a second at most", async () => {
    const test = underTest();
    const before = test.deadlines.now;
    test.member.deadline = before + 10_000;
    test.advance(3_600_000);
    await ticks();
    expect(test.expirations).toBe(0);
    expect(test.deadlines.now - before).toBe(500 + TICK_MS);
  });

  it("input that is pending when a deadline passes is read before the member expires", async () => {
    const test = underTest();
    const [near, far] = await pair();
    const read = new Promise<void>((resolve) => {
      far.once("data", () => {
        far.once("data", () => {
          test.member.deadline = 0;
          resolve();
        });
        // Sockets were polled in this iteration: the tick comes before the next byte is read.
        test.member.deadline = test.deadlines.now + 1;
        test.advance(400);
        near.write("2");
        hold(5 * TICK_MS);
      });
    });
    near.write("1");
    await read;
    await ticks();
    expect(test.expirations).toBe(0);
  });
});
