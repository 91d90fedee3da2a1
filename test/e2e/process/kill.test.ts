import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { childrenOf, isAlive, ProcessGateway, until } from "./gateway.js";
import { Load } from "./load.js";

let upstream: Server;
let gateway: ProcessGateway;
const node = () => ({ [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 });

beforeAll(async () => {
  upstream = createServer((request, response) => {
    if (request.url === "/slow") setTimeout(() => response.end("slow"), 500);
    else response.end("hello");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void upstream.close());

beforeEach(async () => {
  gateway = await ProcessGateway.start({ routes: [{ id: "all", uri: "/*", upstream: { nodes: node() } }] });
});
afterEach(() => gateway.end());

describe("kill -9 under load", () => {
  it("of control fails no request, and its successor adopts the workers", async () => {
    const before = await gateway.workers();
    const control = await gateway.control();
    const load = new Load(gateway.port, "/");
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(control, "SIGKILL");
    await until(() => (isAlive(control) ? undefined : true));
    const successor = await until(async () =>
      (await gateway.ready().catch(() => false)) ? true : undefined,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { requests, failures } = await load.stop();
    expect(successor).toBe(true);
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    const adopted = (workers: typeof before) => workers.map(({ pid, generation }) => ({ pid, generation }));
    expect(adopted(await gateway.workers())).toEqual(adopted(before));
    expect(
      (await gateway.admin("PUT", "/routes/late", { uri: "/late", upstream: { nodes: node() } })).status,
    ).toBe(201);
  });

  it("of a worker fails at most one request of each of its connections, and it is replaced", async () => {
    const load = new Load(gateway.port, "/");
    const victim = await until(async () => {
      const busiest = (await gateway.workers()).sort((a, b) => b.connections - a.connections)[0];
      return busiest && busiest.connections > 0 ? busiest : undefined;
    });
    process.kill(victim.pid, "SIGKILL");
    await until(async () => {
      const workers = await gateway.workers();
      const replaced = workers.length === 2 && workers.every(({ pid }) => pid !== victim.pid);
      return replaced && (await gateway.ready()) ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { failures, requests } = await load.stop();
    // Shares may have moved by one or two since they were told.
    expect(failures.length).toBeLessThanOrEqual(8);
    expect(failures.every((failure) => /ECONNRESET|socket hang up|EPIPE/.test(failure))).toBe(true);
    expect(requests).toBeGreaterThan(100);
    expect((await gateway.get("/")).status).toBe(200);
  });

  it("of the launcher ends workers and control, after the requests in flight", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    expect(all).toHaveLength(3);
    const slow = gateway.get("/slow");
    await new Promise((resolve) => setTimeout(resolve, 100));
    gateway.process.kill("SIGKILL");
    expect((await slow).status).toBe(200);
    await until(() => (all.some(isAlive) ? undefined : true));
    await expect(gateway.get("/")).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe("a graceful stop", () => {
  it("lets requests in flight end and leaves nothing behind", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    const slow = gateway.get("/slow");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stopped = gateway.stop();
    expect((await slow).text).toBe("slow");
    expect(await stopped).toBe(0);
    expect(all.some(isAlive)).toBe(false);
  });
});
