import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { MinRate, WriteProgress } from "../../../runtime/http/min-rate.js";
import { listening, OK, proxyTo, startGateway } from "./gateway.js";

describe("a min rate", () => {
  it("a min rate tolerates a slow start, then requires its bytes on average", () => {
    const rate = new MinRate(100);
    rate.start(1_000);
    expect(rate.isBelow(11_000, 0)).toBe(false);
    expect(rate.isBelow(12_000, 99)).toBe(true);
    expect(rate.isBelow(12_000, 100)).toBe(false);
    expect(rate.isBelow(60_000, 5_000)).toBe(false);
  });

  it("a min rate does not count the time while it is paused", () => {
    const rate = new MinRate(100);
    rate.start(0);
    rate.pause(1_000);
    rate.pause(2_000);
    rate.resume(101_000);
    expect(rate.isBelow(110_000, 0)).toBe(false);
    expect(rate.isBelow(112_000, 0)).toBe(true);
  });

  it("a min rate of 0 has no effect", () => {
    const rate = new MinRate(0);
    rate.start(0);
    expect(rate.isBelow(1_000_000, 0)).toBe(false);
  });
});

describe("write progress of a peer", () => {
  it("a peer makes progress while it reads enough of the queued bytes", () => {
    const taking = new WriteProgress(100);
    taking.offer(0, 10_000, 9_000);
    expect(taking.goesOn(11_000, 8_000)).toBe(true);
    expect(taking.goesOn(12_000, 8_000)).toBe(false);
    expect(taking.goesOn(60_000, 7_999)).toBe(false);
  });

  it("write progress starts again after a time without queued bytes", () => {
    const taking = new WriteProgress(100);
    taking.offer(0, 10_000, 9_999);
    taking.done(5_000);
    taking.offer(100_000, 1_000, 900);
    expect(taking.goesOn(105_000, 899)).toBe(true);
    expect(taking.goesOn(150_000, 898)).toBe(false);
  });

  it("a peer that only empties small buffers now and then falls below the min rate", () => {
    const taking = new WriteProgress(100);
    const drip = (now: number) => {
      const enough = taking.offer(now, 50, 50);
      taking.done(now + 1_000);
      return enough;
    };
    // Each drip waits for a second; the second between two drips does not count.
    const drips = Array.from({ length: 30 }, (_, i) => drip(i * 2_000));
    expect(drips.indexOf(false)).toBe(21);
  });

  it("bytes that pass without waiting count as write progress", () => {
    const taking = new WriteProgress(100);
    taking.offer(0, 100, 100);
    taking.done(9_000);
    taking.passed(5_000);
    expect(taking.offer(9_000, 100, 100)).toBe(true);
    expect(taking.offer(59_000, 100, 200)).toBe(true);
    expect(taking.offer(63_000, 100, 300)).toBe(false);
  });
});

describe("a body that drips", () => {
  const drip = async (limits: { requestBodyRate?: number }, forMs: number) => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { clock: "monotonic", options: { limits } });
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    let on = true;
    const dripping = (async () => {
      for (const end = Date.now() + forMs; on && Date.now() < end; await wait(200)) await client.send("x");
    })().catch(() => {});
    const stop = () => {
      on = false;
      return dripping;
    };
    return { client, gateway, stop };
  };

  it("a body that drips below the default min rate is rejected with 408", async () => {
    const { client, gateway, stop } = await drip({}, 40_000);
    expect(await client.response("POST", { timeout: 40_000 })).toMatchObject({ status: 408 });
    await stop();
    await expect.poll(() => gateway.server.stats()).toMatchObject({ inFlight: 0 });
  });

  it("a body that drips is not rejected with a min rate of 0", async () => {
    const { client, gateway, stop } = await drip({ requestBodyRate: 0 }, 12_000);
    await expect(client.response("POST", { timeout: 12_000 })).rejects.toThrow(/no whole response/);
    expect(gateway.server.stats()).toMatchObject({ inFlight: 1 });
    await stop();
  });
});

describe("a response that is read in drips", () => {
  /**
   * Kernel buffers report what was read in steps of up to 1 MB: a drip has to be that wide to be seen as one.
   */
  const DRIP = 40_000;
  const EVERY_MS = 100;
  const BODY = Buffer.alloc(100_000_000, "x");
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n`;

  /** @returns milliseconds until the connection was cut; undefined if it was not within `ms` */
  async function cutAfter(responseBodyRate: number, ms: number): Promise<number | undefined> {
    const upstream = await listening((socket) => {
      socket.removeAllListeners("data");
      socket.write(head);
      socket.write(BODY);
    });
    // Above the time that a step of the kernel takes on a slow machine, below that of the test.
    const options = { limits: { responseBodyRate, bodyTimeout: 15_000 } };
    const gateway = await startGateway({ nodes: [upstream.port], options, clock: "monotonic" });
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(client, "readable");
    const began = performance.now();
    while (performance.now() < began + ms) {
      client.read(Math.min(DRIP, client.readableLength));
      if (gateway.server.stats().inFlight === 0) return performance.now() - began;
      await wait(EVERY_MS);
    }
    return undefined;
  }

  it("a response read below the min rate is cut after about 10 s, and not above it or with a min rate of 0", async () => {
    const [below, above, unlimited] = await Promise.all([
      cutAfter((DRIP * 1_000 * 20) / EVERY_MS, 20_000),
      cutAfter((DRIP * 1_000) / EVERY_MS / 40, 20_000),
      cutAfter(0, 20_000),
    ]);
    expect(below).toBeGreaterThan(9_000);
    expect(below).toBeLessThan(16_000);
    expect([above, unlimited]).toEqual([undefined, undefined]);
  });
});
