import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProcessGateway } from "./gateway.js";

const SCRIPT = fileURLToPath(new URL("./fixtures/versions.lua", import.meta.url));
const UPDATES = 500;

let upstream: Server;
let gateway: ProcessGateway;

/** Route that sets the same version in requests and responses. */
const route = (uri: string, version: number) => ({
  uri,
  upstream_id: "echo",
  plugins: {
    "proxy-rewrite": { headers: { set: { "X-Asked": `v${version}` } } },
    "response-rewrite": { headers: { set: { "X-Version": `v${version}` } } },
  },
});

beforeAll(async () => {
  upstream = createServer((request, response) => {
    response.setHeader("X-Asked", request.headers["x-asked"] ?? "none");
    response.end("hello");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  gateway = await ProcessGateway.start({ upstreams: [{ id: "echo", nodes }] });
  for (let n = 0; n < 8; n += 1) await gateway.admin("PUT", `/routes/r${n}`, route(`/r${n}`, 0));
});
afterAll(async () => {
  await gateway.end();
  upstream.close();
});

/** Resident memory of a process in MB. */
const memoryOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

describe("500 admin updates in a row under load on 8 routes", () => {
  it("500 updates under load fail no request, and no exchange mixes two versions", async () => {
    const wrk = spawn("wrk", ["-t1", "-c16", "-d600s", "-s", SCRIPT, `http://127.0.0.1:${gateway.port}`]);
    let output = "";
    wrk.stdout.on("data", (text: Buffer) => (output += text));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const statuses: number[] = [];
    for (let version = 1; version <= UPDATES; version += 1) {
      const n = version % 8;
      statuses.push((await gateway.admin("PUT", `/routes/r${n}`, route(`/r${n}`, version))).status);
    }
    wrk.kill("SIGINT");
    await once(wrk, "exit");
    const result = JSON.parse(output.trim().split("\n").at(-1) ?? "{}") as Record<string, number>;
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(result).toMatchObject({ torn: 0, bad: 0, connect: 0, read: 0, write: 0, timeout: 0, status: 0 });
    expect(result["seen"]).toBeGreaterThan(UPDATES);
  });

  it("an update is live in every worker when its response arrives", async () => {
    for (let version = 1001; version <= 1020; version += 1) {
      await gateway.admin("PUT", "/routes/r0", route("/r0", version));
      // Separate connections, so that both workers accept some.
      const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.get("/r0")));
      expect(answers.map(({ headers }) => headers["x-version"])).toEqual(Array(8).fill(`v${version}`));
    }
    expect((await gateway.workers()).every(({ requests }) => requests > 0)).toBe(true);
  });

  it("400 updates grow the memory of control and workers by less than 30 MB", async () => {
    const pids = [gateway.child("control"), ...(await gateway.workers()).map(({ pid }) => pid)];
    for (let n = 0; n < 100; n += 1) await gateway.admin("PUT", "/routes/r0", route("/r0", 2000 + n));
    const before = pids.map(memoryOf);
    for (let n = 0; n < 400; n += 1) await gateway.admin("PUT", "/routes/r0", route("/r0", 3000 + n));
    const grown = pids.map((pid, index) => memoryOf(pid) - (before[index] ?? 0));
    expect(Math.max(...grown)).toBeLessThan(30);
  });
});
