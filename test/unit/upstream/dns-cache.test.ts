import type { LookupAddress } from "node:dns";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DnsCache } from "../../../runtime/proxy/upstream/dns-cache.js";

const ipv4 = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: 4 }));

/** DNS cache on a clock that only `passes` moves. */
function harness({ ttl }: { ttl: number | undefined } = { ttl: 60_000 }) {
  const answer = { addresses: ipv4("10.0.0.1"), failure: undefined as Error | undefined, hangs: false };
  let asked = 0;
  const names = new DnsCache(async () => {
    asked++;
    if (answer.hangs) await new Promise(() => {});
    if (answer.failure) throw answer.failure;
    return { addresses: answer.addresses, ttl: Promise.resolve(ttl) };
  });
  const lookup = () =>
    new Promise<string>((resolve, reject) => {
      names.lookup("shop.test", { all: true }, (error, found) => {
        if (error) reject(error);
        else resolve((found as LookupAddress[]).map(({ address }) => address).join(" "));
      });
    });
  const user = { connected: true, addressesChanged: vi.fn() };
  names.use("shop.test", user);
  const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  return { answer, names, lookup, user, passes, asked: () => asked };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("the DNS cache", () => {
  it("the DNS cache resolves a name once for parallel lookups and again after its TTL", async () => {
    const { lookup, asked, passes, user } = harness();
    user.connected = false;
    expect(await Promise.all([lookup(), lookup(), lookup()])).toEqual(Array(3).fill("10.0.0.1"));
    await passes(59_000);
    await lookup();
    expect(asked()).toBe(1);
    await passes(2_000);
    await lookup();
    expect(asked()).toBe(2);
  });

  it.each([
    ["no time is known", undefined, 30_000],
    ["the time is 0", 0, 1_000],
    ["the time is a week", 604_800_000, 3_600_000],
  ])("the DNS cache resolves a name again where %s: after %i ms", async (_, ttl, ms) => {
    const { lookup, asked, passes, user } = harness({ ttl });
    user.connected = false;
    await lookup();
    await passes(ms - 10);
    await lookup();
    expect(asked()).toBe(1);
    await passes(20);
    await lookup();
    expect(asked()).toBe(2);
  });

  it("the DNS cache refreshes a name while it has a connection and reports when an address is removed", async () => {
    const { answer, lookup, asked, passes, user } = harness({ ttl: 5_000 });
    await lookup();
    answer.addresses = ipv4("10.0.0.1", "10.0.0.2");
    await passes(5_001);
    expect(asked()).toBe(2);
    expect(user.addressesChanged).not.toHaveBeenCalled();
    answer.addresses = ipv4("10.0.0.2");
    await passes(5_001);
    expect(user.addressesChanged).toHaveBeenCalledExactlyOnceWith(new Set(["10.0.0.2"]));
    user.connected = false;
    await passes(60_000);
    expect(asked()).toBe(3);
  });

  it("the DNS cache keeps addresses when the name vanishes, has none or the resolver does not respond", async () => {
    const { answer, lookup, passes, user } = harness({ ttl: 1_000 });
    await lookup();
    answer.failure = new Error("ENOTFOUND");
    await passes(2_000);
    expect(await lookup()).toBe("10.0.0.1");
    answer.failure = undefined;
    answer.addresses = [];
    await passes(6_000);
    expect(await lookup()).toBe("10.0.0.1");
    expect(user.addressesChanged).not.toHaveBeenCalled();
    answer.hangs = true;
    await passes(10_000);
    const waiting = lookup();
    await passes(501);
    expect(await waiting).toBe("10.0.0.1");
  });

  it("the DNS cache fails a lookup without earlier addresses and succeeds when the resolver does", async () => {
    const { answer, lookup } = harness();
    answer.failure = new Error("ENOTFOUND");
    await expect(lookup()).rejects.toThrow("ENOTFOUND");
    answer.failure = undefined;
    expect(await lookup()).toBe("10.0.0.1");
  });

  it("the DNS cache rotates addresses within the family that the system puts first", async () => {
    const { answer, lookup } = harness();
    answer.addresses = [...ipv4("10.0.0.1", "10.0.0.2"), { address: "::1", family: 6 }];
    expect([await lookup(), await lookup(), await lookup()]).toEqual([
      "10.0.0.1 10.0.0.2 ::1",
      "10.0.0.2 10.0.0.1 ::1",
      "10.0.0.1 10.0.0.2 ::1",
    ]);
  });

  it("the DNS cache stops the refresh of a name when its last user leaves", async () => {
    const { names, lookup, asked, passes, user } = harness({ ttl: 1_000 });
    await lookup();
    names.leave("shop.test", user);
    await passes(60_000);
    expect(asked()).toBe(1);
  });
});
