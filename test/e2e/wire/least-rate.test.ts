import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LeastRate, Taking } from "../../../runtime/http/least-rate.js";
import { OK, proxyTo } from "./gateway.js";

describe("a least rate", () => {
  it("lets a peer begin slowly, then asks for its bytes on the mean", () => {
    const rate = new LeastRate(100);
    rate.start(1_000);
    expect(rate.isBelow(11_000, 0)).toBe(false);
    expect(rate.isBelow(12_000, 99)).toBe(true);
    expect(rate.isBelow(12_000, 100)).toBe(false);
    expect(rate.isBelow(60_000, 5_000)).toBe(false);
  });

  it("does not count time in which nobody waits for the peer", () => {
    const rate = new LeastRate(100);
    rate.start(0);
    rate.pause(1_000);
    rate.pause(2_000);
    rate.resume(101_000);
    expect(rate.isBelow(110_000, 0)).toBe(false);
    expect(rate.isBelow(112_000, 0)).toBe(true);
  });

  it("of 0 asks for nothing", () => {
    const rate = new LeastRate(0);
    rate.start(0);
    expect(rate.isBelow(1_000_000, 0)).toBe(false);
  });
});

describe("a peer that takes what is written to it", () => {
  it("goes on while it moves enough of what waits", () => {
    const taking = new Taking(100);
    taking.offer(0, 10_000, 9_000);
    expect(taking.goesOn(11_000, 8_000)).toBe(true);
    expect(taking.goesOn(12_000, 8_000)).toBe(false);
    expect(taking.goesOn(60_000, 7_999)).toBe(false);
  });

  it("starts anew when nothing waited for a while", () => {
    const taking = new Taking(100);
    taking.offer(0, 10_000, 9_999);
    taking.done();
    taking.offer(100_000, 1_000, 900);
    expect(taking.goesOn(105_000, 899)).toBe(true);
    expect(taking.goesOn(150_000, 898)).toBe(false);
  });
});

describe("a body that drips", () => {
  const drip = async (limits: { requestBodyRate?: number }, forMs: number) => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { options: { limits } });
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
