import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { CLI } from "../../support/cli.js";
import { HandoverHarness } from "../../support/handover-harness.js";
import { Load, type LoadResult } from "../../support/load.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { isAlive, ProcessGateway } from "../process/gateway.js";

// Reloads, replaced certificates and handovers under load over TLS.

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
/** The launcher that serves at the end; it is not a child of this test. */
let successor = 0;
afterAll(async () => {
  if (successor !== 0 && isAlive(successor)) process.kill(successor, "SIGTERM");
  await until(() => successor === 0 || !isAlive(successor));
  await gateway.end();
  upstream.close();
  upstream.closeAllConnections();
});

/** Load on persistent connections and on a new connection for each request. */
function begin(): () => Promise<LoadResult> {
  const over = { port, servername: "a.example" };
  const loads = [
    new Load({ ...over, connections: 3 }),
    new Load({ ...over, connections: 2, keepAlive: false }),
  ];
  return async () => {
    const results = await Promise.all(loads.map((load) => load.stop()));
    return {
      requests: results.reduce((sum, { requests }) => sum + requests, 0),
      failures: results.flatMap(({ failures }) => failures),
    };
  };
}

it("no request fails during reloads that replace certificates", async () => {
  const stop = begin();
  for (let count = 0; count < 8; count++) {
    issued = issue({ names: ["a.example", `n${count}.example`] });
    gateway.write(resources(), ssl());
    gateway.process.kill("SIGHUP");
    await wait(300);
  }
  const { requests, failures } = await stop();
  expect(requests).toBeGreaterThan(50);
  expect(failures).toEqual([]);
});

it("no request fails during a handover to a successor", async () => {
  const stop = begin();
  await wait(300);
  gateway.process.kill("SIGUSR2");
  await until(() => gateway.process.exitCode !== null);
  await wait(500);
  const { failures } = await stop();
  const [worker] = await gateway.workers();
  successor = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${worker?.pid}/status`, "utf8"))?.[1]);
  expect(failures).toEqual([]);
});

// `npm run soak:handover` is the long form.
it("no request fails during handovers and reloads of a build, plain and over TLS", async () => {
  const harness = new HandoverHarness(CLI);
  await harness.start();
  for (const step of ["reload", "handOver", "reload", "handOver"] as const) await harness[step]();
  const { failures, ...done } = await harness.stop();
  expect(failures).toEqual([]);
  expect(done).toMatchObject({ handovers: 2, reloads: 2 });
  expect(Math.min(done.plain, done.secure)).toBeGreaterThan(50);
});
