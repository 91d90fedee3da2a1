import "../../../plugins/runtime.js";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { DataServer } from "../../../runtime/proxy/host/data-server.js";
import { DnsCache } from "../../../runtime/proxy/upstream/dns-cache.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, row, table } from "../../unit/host/artifacts.js";

/** Servers of one port on two addresses, and a gateway whose node is a name. */
async function harness() {
  const open = async (host: string, port: number, answer: RequestListener): Promise<Server> => {
    const server = createServer(answer);
    await new Promise<void>((listening) => server.listen(port, host, listening));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  };
  const slow: (() => void)[] = [];
  const first = await open("127.0.0.1", 0, (request, response) => {
    if (request.url === "/a?slow") slow.push(() => response.end("first"));
    else response.end("first");
  });
  const { port } = first.address() as AddressInfo;
  const second = await open("127.0.0.2", port, (_, response) => void response.end("second"));
  const dns = { address: "127.0.0.1", vanished: false, asked: 0 };
  const names = new DnsCache(async () => {
    dns.asked++;
    if (dns.vanished) throw new Error("ENOTFOUND");
    return { addresses: [{ address: dns.address, family: 4 }], ttl: Promise.resolve(1_000) };
  });
  const generations = hostedGenerations({ environment: {} });
  const upstream = table("u", [], {
    nodes: [{ host: "shop.test", port, weight: 1, priority: 0 }],
    keepalive: { size: 8, idleTimeout: 60, requests: 1_000 },
    timeout: { connect: 60, send: 60, read: 60 },
  });
  generations.start(1, artifact({ routes: [row("a", { upstream: "u" })], upstreams: [upstream] }));
  const server = new DataServer({ generation: () => generations.live, names });
  const { port: gateway } = await server.accept({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  const get = async (path = "/a") => (await fetch(`http://127.0.0.1:${gateway}${path}`)).text();
  const connections = (one: Server) =>
    new Promise<number>((resolve) => one.getConnections((_, count) => resolve(count)));
  return { dns, get, first, second, slow, connections };
}

describe("a node whose name moves to another address", () => {
  it("requests go to the new address of a node, and the old one finishes its request in flight", async () => {
    const { dns, get, first, slow, connections } = await harness();
    expect(await get()).toBe("first");
    const underWay = get("/a?slow");
    await expect.poll(() => slow.length).toBe(1);
    await get();
    dns.address = "127.0.0.2";
    // The idle connection is closed; the busy one stays.
    await expect.poll(() => connections(first)).toBe(1);
    expect(await get()).toBe("second");
    slow[0]?.();
    expect(await underWay).toBe("first");
    await expect.poll(() => connections(first)).toBe(0);
  });

  it("a node keeps its last address for new connections when its name no longer resolves", async () => {
    const { dns, get, first } = await harness();
    expect(await get()).toBe("first");
    dns.vanished = true;
    const { asked } = dns;
    await expect.poll(() => dns.asked).toBeGreaterThan(asked);
    first.closeIdleConnections();
    expect(await get()).toBe("first");
  });
});
