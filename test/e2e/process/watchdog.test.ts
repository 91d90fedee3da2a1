import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../control/admin.js";
import { ProcessGateway, until } from "./gateway.js";

// A back reference keeps V8's linear engine out, so this takes 2^n steps on "aaa…c".
const ENDLESS = "^(a+)+\\1b$";

let upstream: Server;
let gateway: ProcessGateway;

beforeAll(async () => {
  upstream = createServer((_, response) => response.end(`${"a".repeat(64)}c`));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  const filters = [{ regex: ENDLESS, replace: "", allow_slow: true }];
  gateway = await ProcessGateway.start({
    routes: [
      { id: "good", uri: "/good", upstream: { nodes } },
      { id: "endless", uri: "/endless", upstream: { nodes }, plugins: { "response-rewrite": { filters } } },
    ],
  });
});
afterAll(async () => {
  await gateway.end();
  upstream.close();
});

describe("a worker whose main thread is held by a pattern", () => {
  it("is ended after a second, named with its route, and replaced, while the other serves", async () => {
    const before = (await gateway.workers()).map(({ pid }) => pid);
    const held = gateway.get("/endless").catch((error: Error) => error.message);
    const [started] = [Date.now()];
    expect(await held).toMatch(/socket hang up|ECONNRESET/);
    expect(Date.now() - started).toBeGreaterThan(900);
    expect(Date.now() - started).toBeLessThan(6000);
    const [line] = await until(() => {
      const lines = gateway.log("worker_was_stalled");
      return lines.length > 0 ? lines : undefined;
    });
    expect(line).toMatchObject({ route: "endless" });
    await until(async () => ((await gateway.ready()) ? true : undefined));
    const after = (await gateway.workers()).map(({ pid }) => pid);
    expect(after.filter((pid) => before.includes(pid))).toHaveLength(1);
    expect((await exchange(gateway.statusPort, "GET", "/status/ready")).json["last_stall"]).toMatchObject({
      route: "endless",
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.get("/good")));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
});
