import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { isAlive, ProcessGateway } from "../process/gateway.js";
import { fetchOver, handshake } from "./harness.js";

// Resumption of sessions at all workers, and never under another certificate.

/** Ids differ only in their first letter. */
const LONG = "-of-a-name-that-is-longer-than-what-openssl-takes";
let gateway: ProcessGateway;
let port: number;
beforeAll(async () => {
  port = await freePort();
  const a = issue({ names: ["a.example"] });
  const b = issue({ names: ["b.example"] });
  const ssls = [
    { id: `a${LONG}`, sni: "a.example", ...a },
    { id: `b${LONG}`, sni: "b.example", ...b },
  ];
  const nodes = { [`127.0.0.1:${await freePort()}`]: 1 };
  gateway = await ProcessGateway.start(
    { routes: [{ id: "r", uri: "/*", upstream: { nodes } }], ssls },
    { ssl: { listen: [{ ip: "127.0.0.1", port }] } },
  );
});
afterAll(() => gateway.end());

/** A session of a new connection. */
async function ticket(maxVersion: "TLSv1.2" | "TLSv1.3"): Promise<Buffer> {
  const socket = await handshake(port, { servername: "a.example", maxVersion });
  const known = maxVersion === "TLSv1.2" ? socket.getSession() : undefined;
  const told = known ? Promise.resolve([known]) : once(socket, "session");
  await fetchOver(socket);
  const [session] = (await told) as [Buffer];
  return session;
}

async function resumed(session: Buffer, servername: string, maxVersion: "TLSv1.2" | "TLSv1.3") {
  const socket: TLSSocket = await handshake(port, { servername, session, maxVersion });
  const reused = socket.isSessionReused();
  expect(await fetchOver(socket)).toMatch(/^HTTP\/1\.1 502 /);
  return reused;
}

describe.each(["TLSv1.2", "TLSv1.3"] as const)("a session of %s", (version) => {
  it("a session is resumed by each of the two workers", async () => {
    const session = await ticket(version);
    const before = new Map((await gateway.workers()).map(({ pid, requests }) => [pid, requests]));
    expect(before.size).toBe(2);
    // The kernel chooses the worker of a connection; several at a time reach both sooner.
    await until(async () => {
      const connections = Array.from({ length: 12 }, () => resumed(session, "a.example", version));
      expect(await Promise.all(connections)).toEqual(Array(12).fill(true));
      const now = await gateway.workers();
      return now.every(({ pid, requests }) => requests > (before.get(pid) ?? Number.POSITIVE_INFINITY));
    });
  });

  it("a session is not resumed under another certificate", async () => {
    const session = await ticket(version);
    expect(await resumed(session, "b.example", version)).toBe(false);
  });
});

it("workers resume sessions of each other after control and a worker were restarted", async () => {
  const control = gateway.child("control");
  process.kill(control, "SIGKILL");
  await until(async () => !isAlive(control) && (await gateway.ready()));
  const [worker] = await gateway.workers();
  process.kill(worker?.pid ?? 0, "SIGKILL");
  await until(async () => {
    const workers = await gateway.workers();
    return workers.length === 2 && workers.every(({ pid }) => pid !== worker?.pid);
  });
  await until(() => gateway.ready());
  const session = await ticket("TLSv1.3");
  for (let count = 0; count < 12; count++) expect(await resumed(session, "a.example", "TLSv1.3")).toBe(true);
});

it("the metrics page shows the expiry of certificates and counts completed handshakes", async () => {
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  const [, expires] = /^gw_ssl_expiry_timestamp_seconds\{ssl="a[^"]*"\} (\d+)/m.exec(text) ?? [];
  const days = (Number(expires) - Date.now() / 1_000) / 86_400;
  expect(days).toBeGreaterThan(28);
  expect(days).toBeLessThan(31);
  expect(text).toMatch(/^gw_tls_handshakes_total\{outcome="done"\} [1-9]/m);
});
