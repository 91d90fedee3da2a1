import { describe, expect, it } from "vitest";
import { ConnectionShares } from "../../../runtime/process/connection-shares.js";

class Peer {
  readonly remoteAddr: string;
  idle = true;
  destroyed = false;

  constructor(remoteAddr: string) {
    this.remoteAddr = remoteAddr;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

const shares = (connections: number, perAddress: number) =>
  new ConnectionShares<Peer>(
    () => ({ connections, perAddress }),
    ({ idle }) => idle,
  );

const admitted = (all: ConnectionShares<Peer>, address: string, count: number) =>
  Array.from({ length: count }, () => {
    const peer = new Peer(address);
    expect(all.admit(peer)).toBe(true);
    return peer;
  });

describe("connection limits of a listener", () => {
  it("a new connection of an address at its limit closes the address's least recently used one", () => {
    const all = shares(10, 2);
    const [first, second] = admitted(all, "10.0.0.1", 2);
    if (first) all.used(first);
    admitted(all, "10.0.0.1", 1);
    expect([first?.destroyed, second?.destroyed]).toEqual([false, true]);
    expect(all.size).toBe(2);
  });

  it("a new connection at the total limit closes one of the address with the most", () => {
    const all = shares(6, 5);
    const greedy = admitted(all, "10.0.0.1", 5);
    const [other] = admitted(all, "10.0.0.2", 1);
    admitted(all, "10.0.0.3", 1);
    expect(greedy.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    expect(other?.destroyed).toBe(false);
  });

  it("a connection with a request in progress is not closed for a new one", () => {
    const all = shares(2, 2);
    for (const peer of admitted(all, "10.0.0.1", 2)) peer.idle = false;
    expect(all.admit(new Peer("10.0.0.1"))).toBe(false);
    expect(all.admit(new Peer("10.0.0.2"))).toBe(false);
  });

  it("an IPv6 network of 64 bits shares one limit, in every spelling of its addresses", () => {
    const all = shares(10, 2);
    const [first] = admitted(all, "2001:db8::1", 1);
    admitted(all, "2001:db8:0:0:ffff::1", 1);
    admitted(all, "2001:db8:0:1::1", 1);
    expect(first?.destroyed).toBe(false);
    admitted(all, "2001:db8::ffff:0:0:1", 1);
    expect(first?.destroyed).toBe(true);
  });

  it("an address that is exempt from the limit opens more connections than the limit", () => {
    const all = shares(10, 1);
    for (let n = 0; n < 5; n += 1) expect(all.admit(new Peer("10.0.0.1"), false)).toBe(true);
    expect(all.size).toBe(5);
  });
});
