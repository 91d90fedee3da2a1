import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { MinRate, WriteProgress } from "../../../runtime/http/min-rate.js";
import { listening, OK, proxyTo, startGateway } from "./gateway.js";

describe("a least rate", () => {
  it("lets a peer begin slowly, then asks for its bytes on the mean", () => {
    const rate = new MinRate(100);
    rate.start(1_000);
    expect(rate.isBelow(11_000, 0)).toBe(false);
    expect(rate.isBelow(12_000, 99)).toBe(true);
    expect(rate.isBelow(12_000, 100)).toBe(false);
    expect(rate.isBelow(60_000, 5_000)).toBe(false);
  });

  it("does not count time in which nobody waits for the peer", () => {
    const rate = new MinRate(100);
    rate.start(0);
    rate.pause(1_000);
    rate.pause(2_000);
    rate.resume(101_000);
    expect(rate.isBelow(110_000, 0)).toBe(false);
    expect(rate.isBelow(112_000, 0)).toBe(true);
  });

  it("of 0 asks for nothing", () => {
    const rate = new MinRate(0);
    rate.start(0);
    expect(rate.isBelow(1_000_000, 0)).toBe(false);
  });
});

describe("a peer that takes what is written to it", () => {
  it("goes on while it moves enough of what waits", () => {
    const taking = new WriteProgress(100);
    taking.offer(0, 10_000, 9_000);
    expect(taking.goesOn(11_000, 8_000)).toBe(true);
    expect(taking.goesOn(12_000, 8_000)).toBe(false);
    expect(taking.goesOn(60_000, 7_999)).toBe(false);
  });

  it("starts anew when nothing waited for a while", () => {
    const taking = new WriteProgress(100);
    taking.offer(0, 10_000, 9_999);
    taking.done(5_000);
    taking.offer(100_000, 1_000, 900);
    expect(taking.goesOn(105_000, 899)).toBe(true);
    expect(taking.goesOn(150_000, 898)).toBe(false);
  });

  it("is not one that empties a buffer now and then", () => {
    const taking = new WriteProgress(100);
    const drip = (now: number) => {
      const enough = taking.offer(now, 50, 50);
      taking.done(now + 1_000);
      return enough;
    };
    // Each waits for a second; the second between two does not count.
    const drips = Array.from({ length: 30 }, (_, i) => drip(i * 2_000));
    expect(drips.indexOf(false)).toBe(21);
  });

  it("has taken what passed without waiting", () => {
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

  it("is refused with 408 by default, though each byte comes in time", async () => {
    const { client, gateway, stop } = await drip({}, 40_000);
    expect(await client.response("POST", { timeout: 40_000 })).toMatchObject({ status: 408 });
    await stop();
    await expect.poll(() => gateway.server.stats()).toMatchObject({ inFlight: 0 });
  });

  it("may take its time where there is no least rate", async () => {
    const { client, gateway, stop } = await drip({ requestBodyRate: 0 }, 12_000);
    await expect(client.response("POST", { timeout: 12_000 })).rejects.toThrow(/no whole response/);
    expect(gateway.server.stats()).toMatchObject({ inFlight: 1 });
    await stop();
  });
});

describe("a response that is taken in drips", () => {
  /** Buffers of the kernel tell of what was taken in steps of up to 1 MB: a drip has to be that wide to be seen as one. */
  const DRIP = 40_000;
  const EVERY_MS = 100;
  const BODY = Buffer.alloc(100_000_000, "x");
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n`;

  /** @returns milliseconds until the connection was cut; undefined: it was not, in `ms` */
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

  it("is cut after about 10 s, and not where there is no least rate", async () => {
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
