import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { isAlive, ProcessGateway } from "./gateway.js";

interface Warning {
  code: string;
  message: string;
}

let upstream: Server;
/** Callbacks that release the responses to /slow. */
const slow: (() => void)[] = [];
let gateway: ProcessGateway;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    if (request.url === "/slow") slow.push(() => response.end("slow"));
    else response.end("hello");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
});
afterAll(() => upstream.close());
afterEach(() => gateway.end());

const configuration = () => ({
  routes: [
    {
      ...{ id: "all", uri: "/*" },
      upstream: { nodes: { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 } },
    },
  ],
});
const readiness = async () => {
  const { status, json } = await exchange(gateway.statusPort, "GET", "/status/ready");
  return { status, json, warnings: (json["warnings"] as Warning[]).map(({ code }) => code) };
};

/** Polls readiness until `end` resolves. */
async function watched(end: () => Promise<unknown>): Promise<{ statuses: number[]; warnings: string[] }> {
  const [statuses, warnings] = [new Set<number>(), new Set<string>()];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      // A killed control resets its connections.
      const answer = await readiness().catch(() => undefined);
      if (answer === undefined) await turn();
      else statuses.add(answer.status);
      for (const code of answer?.warnings ?? []) warnings.add(code);
    }
  })();
  await end();
  isOver = true;
  await asking;
  return { statuses: [...statuses], warnings: [...warnings] };
}

describe("readiness and its warnings", () => {
  it("/status/ready stays 200 without control and warns of it, as do the metrics", async () => {
    gateway = await ProcessGateway.start(configuration());
    expect(await readiness()).toMatchObject({ status: 200, warnings: [] });
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    const pages: string[] = [];
    const seen = await watched(async () => {
      await until(() => !isAlive(control));
      await until(async () => {
        const page = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics").catch(
          () => undefined,
        );
        if (page?.status === 200) pages.push(page.text);
        return pages.at(-1)?.includes("gw_workers 2");
      });
      await until(async () => (await readiness().catch(() => undefined))?.warnings.length === 0);
    });
    expect(seen.statuses).toEqual([200]);
    expect(seen.warnings).toContain("control_missing");
    const away = pages.filter((page) => page.includes('gw_warnings{code="control_missing"} 1'));
    expect(away.length).toBeGreaterThan(0);
    expect(away.every((page) => page.includes("gw_ready 1"))).toBe(true);
    expect(pages.at(-1)).toContain('gw_warnings{code="control_missing"} 0');
  });

  it("/status/ready stays 200 while one of two workers is replaced", async () => {
    gateway = await ProcessGateway.start(configuration());
    const [victim] = await gateway.workers();
    const seen = await watched(async () => {
      process.kill(victim?.pid ?? 0, "SIGKILL");
      await until(async () => {
        const workers = await gateway.workers();
        return workers.length === 2 && workers.every(({ pid }) => pid !== victim?.pid);
      });
    });
    expect(seen.statuses).toEqual([200]);
    expect(seen.warnings).toContain("workers_missing");
  });

  it("/status/ready stays 200 through a handover, from whichever gateway it comes", async () => {
    gateway = await ProcessGateway.start(configuration());
    const before = (await gateway.workers()).map(({ pid }) => pid);
    const ended = once(gateway.process, "exit");
    const seen = await watched(async () => {
      gateway.process.kill("SIGUSR2");
      await ended;
    });
    expect(seen.statuses).toEqual([200]);
    expect(seen.warnings).toContain("control_missing");
    const workers = await gateway.workers();
    expect(workers.map(({ pid }) => pid).filter((pid) => before.includes(pid))).toEqual([]);
    const launcher = parentOf(workers[0]?.pid ?? 0);
    process.kill(launcher, "SIGTERM");
    await until(() => !isAlive(launcher));
  });

  it("/status/ready stays 200 through reloads and warns of a refused one until the next succeeds", async () => {
    gateway = await ProcessGateway.start(configuration());
    const reload = async (resources: object, event: string) => {
      const { length } = gateway.log(event);
      gateway.write(resources);
      gateway.process.kill("SIGHUP");
      await until(() => gateway.log(event).length > length);
    };
    const seen = await watched(async () => {
      await reload({ routes: [{ id: "all", uri: "/*", upstream_id: "nowhere" }] }, "reload_refused");
      expect((await readiness()).warnings).toEqual(["reload_refused"]);
      await reload(configuration(), "reloaded");
      expect((await readiness()).warnings).toEqual([]);
    });
    expect(seen.statuses).toEqual([200]);
  });

  it("/status/ready is 503 without a worker, with or without control", async () => {
    gateway = await ProcessGateway.start(configuration(), { workers: 1 });
    for (const others of [[], ["control"]] as const) {
      const pids = [gateway.child("worker"), ...others.map((name) => gateway.child(name))];
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await until(async () => (await readiness().catch(() => undefined))?.status === 503);
      await until(async () => {
        const answer = await readiness().catch(() => undefined);
        return answer?.status === 200 && answer.warnings.length === 0;
      });
      expect((await gateway.get("/")).status).toBe(200);
    }
  });

  it("/status/ready is 503 as soon as a stop is requested, even without gw.drain.delay", async () => {
    gateway = await ProcessGateway.start(configuration());
    const answer = gateway.get("/slow");
    const release = await until(() => slow.shift());
    gateway.process.kill("SIGTERM");
    const { json } = await until(async () => {
      const asked = await readiness();
      return asked.status === 503 ? asked : undefined;
    });
    expect(json["reasons"]).toEqual([{ code: "stopping", message: "the gateway is stopping" }]);
    release();
    expect((await answer).text).toBe("slow");
  });
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
