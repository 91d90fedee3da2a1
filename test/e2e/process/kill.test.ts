import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Load } from "../../support/load.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { childrenOf, isAlive, ProcessGateway, signal } from "./gateway.js";

let upstream: Server;
/** Callbacks that release the responses to /slow. */
const slow: (() => void)[] = [];
let gateway: ProcessGateway;
const node = () => ({ [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 });

beforeAll(async () => {
  upstream = createServer((request, response) => {
    if (request.url === "/slow") slow.push(() => response.end("slow"));
    else response.end("hello");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  gateway = await ProcessGateway.start(ALL());
});
afterAll(async () => {
  await gateway.end();
  upstream.close();
});

const ALL = () => ({ routes: [{ id: "all", uri: "/*", upstream: { nodes: node() } }] });

// Tests that leave the gateway running share it.
beforeEach(async () => {
  gateway.write(ALL());
  if (gateway.hasEnded) await gateway.open();
});
const restart = async (drain: object) => {
  await gateway.stop();
  gateway.write(ALL(), { drain });
  await gateway.open();
};
afterEach(() => {
  for (const release of slow.splice(0)) release();
});

describe("kill -9 under load", () => {
  it("kill -9 of control fails no request, and the next control adopts the workers", async () => {
    const before = await gateway.workers();
    const control = gateway.child("control");
    const load = new Load({ port: gateway.port });
    await load.more(100);
    process.kill(control, "SIGKILL");
    await until(() => !isAlive(control));
    const successor = await until(() => gateway.ready().catch(() => false));
    await load.more(100);
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

  it("kill -9 of a worker fails at most one request of each of its connections, and it is replaced", async () => {
    const load = new Load({ port: gateway.port });
    const victim = await until(async () => {
      const busiest = (await gateway.workers()).sort((a, b) => b.connections - a.connections)[0];
      return busiest && busiest.connections > 0 ? busiest : undefined;
    });
    process.kill(victim.pid, "SIGKILL");
    await until(async () => {
      const workers = await gateway.workers();
      const replaced = workers.length === 2 && workers.every(({ pid }) => pid !== victim.pid);
      return replaced && (await gateway.ready());
    });
    await load.more(100);
    const { failures, requests } = await load.stop();
    // Connections may have moved by one or two since the workers reported them.
    expect(failures.length).toBeLessThanOrEqual(8);
    expect(failures.every((failure) => /ECONNRESET|socket hang up|EPIPE/.test(failure))).toBe(true);
    expect(requests).toBeGreaterThan(100);
    expect((await gateway.get("/")).status).toBe(200);
  });

  it("kill -9 of the launcher ends its children after their requests; a start removes its run directory", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    expect(all).toHaveLength(3);
    const environment = readFileSync(`/proc/${all[0]}/environ`, "utf8").split("\0");
    const directory =
      environment.find((entry) => entry.startsWith("GWC_RUN_DIRECTORY="))?.split("=")[1] ?? "";
    expect(existsSync(directory)).toBe(true);
    const answer = gateway.get("/slow");
    const release = await until(() => slow.shift());
    gateway.process.kill("SIGKILL");
    await until(() => !isAlive(gateway.process.pid ?? 0));
    release();
    expect((await answer).status).toBe(200);
    await until(() => !all.some(isAlive));
    await expect(gateway.get("/")).rejects.toThrow(/ECONNREFUSED/);
    await gateway.open();
    expect(existsSync(directory)).toBe(false);
    expect((await gateway.get("/")).status).toBe(200);
  });
});

describe("a worker that hangs", () => {
  it("a worker that hangs does not block a write and is replaced", async () => {
    const [victim] = await gateway.workers();
    process.kill(victim?.pid ?? 0, "SIGSTOP");
    const { status } = await gateway.admin("PUT", "/routes/hung", {
      uri: "/hung",
      upstream: { nodes: node() },
    });
    expect(status).toBe(201);
    await until(() => !isAlive(victim?.pid ?? 0));
    await until(async () => {
      const pids = (await gateway.workers()).map(({ pid }) => pid);
      return pids.length === 2 && !pids.includes(victim?.pid ?? 0) && (await gateway.ready())
        ? true
        : undefined;
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.get("/hung")));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });
});

describe("SIGUSR2 under load", () => {
  /** The launcher that serves after a handover is no child of this test. */
  const launcherOf = (worker: number) =>
    Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${worker}/status`, "utf8"))?.[1]);

  it("a handover fails if the successor could only run the last known good generation", async () => {
    gateway.write({ routes: [{ id: "all", uri: "/*", upstream_id: "nowhere" }] });
    gateway.process.kill("SIGUSR2");
    await until(() => gateway.log("successor_failed").length > 0);
    expect(gateway.log("successor_stale")).toHaveLength(1);
    expect((await gateway.get("/")).status).toBe(200);
    expect(gateway.process.exitCode).toBeNull();
  });

  it("the gateway continues to serve if the successor cannot start", async () => {
    const { length } = gateway.log("successor_failed");
    gateway.write({ routes: [{ id: "all", uri: "/*", upstream_id: "nowhere" }] }, { workers: "many" });
    gateway.process.kill("SIGUSR2");
    await until(() => gateway.log("successor_failed").length > length);
    expect((await gateway.get("/")).status).toBe(200);
    await until(async () => {
      const answer = await gateway.admin("GET", "/routes").catch(() => undefined);
      return answer?.status === 200;
    });
  });

  it("SIGUSR2 passes the listeners to a successor without a failed request", async () => {
    const before = (await gateway.workers()).map(({ pid }) => pid);
    const load = new Load({ port: gateway.port });
    const ended = once(gateway.process, "exit");
    gateway.process.kill("SIGUSR2");
    expect((await ended)[0]).toBe(0);
    const after = (await gateway.workers()).map(({ pid }) => pid);
    const { requests, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    expect(
      (await gateway.admin("PUT", "/routes/new", { uri: "/new", upstream: { nodes: node() } })).status,
    ).toBe(201);
    const successor = launcherOf(after[0] ?? 0);
    process.kill(successor, "SIGTERM");
    await until(() => !isAlive(successor));
  });

  it("a stop during a handover ends both the gateway and its successor", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    gateway.process.kill("SIGUSR2");
    const successor = await until(() => {
      const begun = childrenOf(gateway.process.pid ?? 0).filter((pid) => !all.includes(pid));
      return begun.length > 0 && begun;
    });
    expect(await gateway.stop()).toBe(0);
    await until(() => ![...all, ...successor].some(isAlive));
    await expect(gateway.get("/")).rejects.toThrow();
  });
});

describe("a graceful stop", () => {
  it("a graceful stop refuses new connections at once, finishes requests in flight and leaves no process", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    const answer = gateway.get("/slow");
    const release = await until(() => slow.shift());
    const stopped = gateway.stop();
    await until(() =>
      gateway.get("/").then(
        () => false,
        () => true,
      ),
    );
    release();
    expect((await answer).text).toBe("slow");
    expect(await stopped).toBe(0);
    expect(all.some(isAlive)).toBe(false);
  });

  it("a stopping gateway accepts connections in gw.drain.delay with readiness 503, also without control", async () => {
    await restart({ delay: 300 });
    const readiness = async () => {
      const { status, json } = await exchange(gateway.statusPort, "GET", "/status/ready");
      return { status, reasons: json["reasons"] as object[] };
    };
    gateway.process.kill("SIGTERM");
    const stopping = await until(async () => {
      const answer = await readiness();
      return answer.status === 503 ? answer : undefined;
    });
    expect(stopping.reasons).toEqual([{ code: "stopping", message: "the gateway is stopping" }]);
    expect((await gateway.get("/")).status).toBe(200);
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    await until(() => !isAlive(control));
    const seen = new Set<number>();
    await until(async () => {
      const answer = await readiness().catch(() => undefined);
      if (answer !== undefined) seen.add(answer.status);
      // The new control has taken over once its workers are no longer among the reasons.
      return answer?.reasons.length === 1;
    });
    expect([...seen]).toEqual([503]);
    expect((await gateway.get("/")).status).toBe(200);
    // A second SIGTERM ends the gateway without the rest of the delay.
    expect(await gateway.stop()).toBe(0);
  });

  it("repeated SIGTERM to control, as systemd and timeout send it, does not fail the stop", async () => {
    const control = gateway.child("control");
    const stopped = gateway.stop();
    while (signal(control, "SIGTERM")) await new Promise((resolve) => setImmediate(resolve));
    expect(await stopped).toBe(0);
    expect(gateway.log("process_failed")).toEqual([]);
  });

  it("a stopping gateway ends by itself after gw.drain.delay", async () => {
    await restart({ delay: 2 });
    const began = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - began).toBeGreaterThan(1_900);
  });

  it("a second SIGTERM ends the gateway at once, without restarting any process", async () => {
    const all = childrenOf(gateway.process.pid ?? 0);
    const answer = gateway.get("/slow").catch(() => "cut off");
    await until(() => slow.length > 0);
    gateway.process.kill("SIGTERM");
    await until(() =>
      gateway.get("/").then(
        () => false,
        () => true,
      ),
    );
    expect(await gateway.stop()).toBe(0);
    expect(await answer).toBe("cut off");
    expect(all.some(isAlive)).toBe(false);
    expect(gateway.log("child_ended")).toEqual([]);
  });
});
