// Every process of a gateway is stopped and killed while clients are served: the rest continues, readiness
// reports it, and the process is replaced. The long form repeats this.
import { readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../e2e/control/admin.js";
import { childrenOf, isAlive, ProcessGateway } from "../e2e/process/gateway.js";
import { Load } from "../support/load.js";
import { until } from "../support/patience.js";
import { freePort } from "../support/ports.js";

const ROUNDS = process.env["GWC_ATTACK"] === "long" ? 10 : 1;
/** Errors of a connection that is cut, as opposed to one that stays silent. */
const CUT = /^(?:read ECONNRESET|socket hang up|write EPIPE)$/;

let upstream: Server;
let gateway: ProcessGateway;
let captchaPort: number;

beforeAll(async () => {
  upstream = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  captchaPort = await freePort();
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  gateway = await ProcessGateway.start({
    routes: [{ id: "all", uri: "/*", upstream: { nodes } }],
    captcha: { listen: { ip: "127.0.0.1", port: captchaPort } },
  });
});
afterAll(async () => {
  await gateway.end();
  upstream.close();
});

const launcher = () => gateway.process.pid ?? 0;
const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const workerPids = async () => (await gateway.workers()).map(({ pid }) => pid);
const gone = (pid: number) => until(() => !isAlive(pid));
const ready = () => until(() => gateway.ready().catch(() => false));

/** Responses of the status listener in sequence; "none" for a connection that was cut. */
class Readiness {
  readonly told: string[] = [];
  private stopped = false;
  private readonly end = this.watch();

  private async watch(): Promise<void> {
    while (!this.stopped) {
      const answer = await exchange(gateway.statusPort, "GET", "/status/ready").catch(() => undefined);
      this.told.push(answer === undefined ? "none" : `${answer.status} ${answer.text}`);
      await wait(20);
    }
  }

  async stop(): Promise<string[]> {
    this.stopped = true;
    await this.end;
    return this.told;
  }
}

/** Runs an attack under load. @returns failures of clients and responses of readiness */
async function underLoad(attack: () => Promise<void>): Promise<{ failures: string[]; told: string[] }> {
  await ready();
  const load = new Load({ port: gateway.port });
  const readiness = new Readiness();
  await wait(200);
  await attack();
  await ready();
  await wait(200);
  const told = await readiness.stop();
  const { failures, requests } = await load.stop();
  expect(requests).toBeGreaterThan(20);
  return { failures, told };
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => round + 1);

describe.each(["SIGSTOP", "SIGKILL"] as const)("%s under load", (signal) => {
  it.each(rounds)(
    "a worker is replaced, only its own connections are cut, and readiness warns of it (%i)",
    async () => {
      let victim = 0;
      const { failures, told } = await underLoad(async () => {
        const workers = await gateway.workers();
        victim = workers.sort((a, b) => b.connections - a.connections)[0]?.pid ?? 0;
        process.kill(victim, signal);
        await gone(victim);
        await until(async () => (await workerPids()).length === 2);
      });
      expect(failures.filter((failure) => !CUT.test(failure))).toEqual([]);
      expect(failures.length).toBeLessThanOrEqual(8);
      const expected =
        signal === "SIGSTOP"
          ? "is replaced, it sent no liveness signal for 2000 ms"
          : "workers not connected";
      expect(told.filter((answer) => answer.startsWith("200 ") && answer.includes(expected))).not.toEqual([]);
      expect(told.filter((answer) => answer.startsWith("503 "))).toEqual([]);
      expect(await workerPids()).not.toContain(victim);
    },
  );

  it.each(rounds)(
    "no request fails without control, and the next control adopts the workers (%i)",
    async () => {
      const before = await workerPids();
      const victim = gateway.child("control");
      const { failures, told } = await underLoad(async () => {
        process.kill(victim, signal);
        await gone(victim);
      });
      expect(failures).toEqual([]);
      // A request to the stopped control is cut instead of waiting forever.
      expect(told.at(-1)).toMatch(/^200 /);
      expect(await workerPids()).toEqual(before);
    },
  );

  it.each(rounds)(
    "no other request fails without the captcha, readiness reports it, and it is replaced (%i)",
    async () => {
      const victim = gateway.child("captcha");
      const { failures, told } = await underLoad(async () => {
        process.kill(victim, signal);
        await gone(victim);
        await until(async () => {
          const answer = await exchange(captchaPort, "GET", "/captcha.js").catch(() => undefined);
          return answer?.status === 200;
        });
      });
      expect(failures).toEqual([]);
      expect(told.filter((answer) => answer.includes('"captcha":{"up":false'))).not.toEqual([]);
    },
  );
});

it("a stopped launcher fails no request, readiness reports it, and it later continues with its children", async () => {
  const before = childrenOf(launcher());
  const { failures, told } = await underLoad(async () => {
    process.kill(launcher(), "SIGSTOP");
    await wait(4_000);
    process.kill(launcher(), "SIGCONT");
  });
  expect(failures).toEqual([]);
  expect(told.filter((answer) => /^200 .*"launcher":\{"silent_ms":\d+\}/.test(answer))).not.toEqual([]);
  expect(childrenOf(launcher())).toEqual(before);
});

it("a host that was frozen continues with all of its processes", async () => {
  await ready();
  const before = childrenOf(launcher());
  const all = [launcher(), ...before];
  for (const pid of all) process.kill(pid, "SIGSTOP");
  await wait(4_000);
  for (const pid of all) process.kill(pid, "SIGCONT");
  await wait(3_000);
  expect(childrenOf(launcher())).toEqual(before);
  expect((await gateway.get("/")).status).toBe(200);
});

it("a replaced worker leaves no descriptor open in the launcher and in control", async () => {
  const replace = async () => {
    const [victim = 0] = await workerPids();
    process.kill(victim, "SIGKILL");
    await until(async () => {
      const pids = await workerPids();
      return pids.length === 2 && !pids.includes(victim) && (await gateway.ready());
    });
  };
  // Connections to the status listener may still be closing.
  const settled = async () => {
    await wait(500);
    return [descriptors(launcher()), descriptors(gateway.child("control"))];
  };
  await replace();
  const [launcherBefore = 0, controlBefore = 0] = await settled();
  for (let n = 0; n < 4 * ROUNDS; n += 1) await replace();
  const [launcherAfter = 0, controlAfter = 0] = await settled();
  expect(launcherAfter).toBeLessThanOrEqual(launcherBefore);
  expect(controlAfter).toBeLessThanOrEqual(controlBefore + 2);
});
