import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { HandoverStand } from "../../support/handover-stand.js";
import { freePort, isAlive, ProcessGateway, until } from "../process/gateway.js";

// Reloads, other certificates and a successor, while clients are at work over TLS.

const BUILT = fileURLToPath(new URL("../../../.build/cli/gwc.js", import.meta.url));
let gateway: ProcessGateway;
let port: number;
let issued: Issued;
const upstream = createServer((_, response) => response.end("ok"));
beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  port = await freePort();
  issued = issue({ names: ["a.example"] });
  gateway = await ProcessGateway.start(resources(), ssl());
});
const nodes = () => ({ [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 });
const resources = () => ({
  routes: [{ id: "r", uri: "/*", upstream: { nodes: nodes() } }],
  ssls: [{ id: "a", sni: "a.example", ...issued }],
});
const ssl = () => ({ ssl: { listen: [{ ip: "127.0.0.1", port }] } });
/** The launcher that serves at the end; it is no child of this test. */
let successor = 0;
afterAll(async () => {
  if (successor !== 0 && isAlive(successor)) process.kill(successor, "SIGTERM");
  await until(() => (successor !== 0 && isAlive(successor) ? undefined : true));
  await gateway.end();
  upstream.close();
  upstream.closeAllConnections();
});

/** Kept connections, and new ones for each request. */
class SecureLoad {
  requests = 0;
  readonly failures: string[] = [];
  #stopped = false;
  readonly #ends: Promise<void>[];

  constructor() {
    this.#ends = [true, true, true, false, false].map((keepAlive) => this.#keepBusy(keepAlive));
  }

  async #keepBusy(keepAlive: boolean): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1, rejectUnauthorized: false, servername: "a.example" });
    while (!this.#stopped) {
      const failure = await one(agent);
      this.requests += 1;
      if (failure !== undefined) this.failures.push(failure);
    }
    agent.destroy();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#ends);
  }
}

function one(agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request({ agent, port, host: "127.0.0.1", path: "/" }, (response) => {
      response.resume().on("error", (error) => resolve(error.message));
      response.on("end", () => resolve(response.statusCode === 200 ? undefined : `${response.statusCode}`));
    });
    call.on("error", (error) => resolve(error.message));
    call.setTimeout(10_000, () => call.destroy(new Error("no answer for 10 s")));
    call.end();
  });
}

it("no request fails through reloads and certificates that are replaced", async () => {
  const load = new SecureLoad();
  for (let count = 0; count < 8; count++) {
    issued = issue({ names: ["a.example", `n${count}.example`] });
    gateway.write(resources(), ssl());
    gateway.process.kill("SIGHUP");
    await wait(300);
  }
  await load.stop();
  expect(load.requests).toBeGreaterThan(50);
  expect(load.failures).toEqual([]);
});

it("no request fails while a successor takes over", async () => {
  const load = new SecureLoad();
  await wait(300);
  gateway.process.kill("SIGUSR2");
  await until(() => (gateway.process.exitCode === null ? undefined : true), 60_000);
  await wait(500);
  await load.stop();
  const [worker] = await gateway.workers();
  successor = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${worker?.pid}/status`, "utf8"))?.[1]);
  expect(load.failures).toEqual([]);
});

// `npm run soak:handover` is the long form.
it("no request fails through handovers and reloads of a build, plain and over TLS", async () => {
  const stand = new HandoverStand(BUILT);
  await stand.start();
  for (const step of ["reload", "handOver", "reload", "handOver"] as const) await stand[step]();
  const { failures, ...done } = await stand.stop();
  expect(failures).toEqual([]);
  expect(done).toMatchObject({ handovers: 2, reloads: 2 });
  expect(Math.min(done.plain, done.secure)).toBeGreaterThan(50);
});
