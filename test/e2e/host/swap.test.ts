import "../../../plugins/runtime.js";
import { Agent, createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DataServer } from "../../../runtime/proxy/host/data-server.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, delta, moduleText, row, table } from "../../unit/host/artifacts.js";

const UPDATES = 300;
const CLIENTS = 8;

/** Responds with its own number and the one that the route's module wrote. */
function upstream(number: number) {
  return createServer((incoming, outgoing) => outgoing.end(`${number} ${incoming.headers["x-version"]}`));
}

describe(`${UPDATES} updates under load`, () => {
  const servers = [upstream(0), upstream(1)];
  const generations = hostedGenerations({ poolsChanged: (keys) => gateway.keepOnly(keys) });
  let gateway: DataServer;
  let port: number;
  let ports: number[];

  /** Module and table change together: version n writes n and goes to the upstream of its parity. */
  const version = (n: number) => ({
    // The access phase waits, so that many requests are in flight when the next version becomes live.
    module: moduleText(
      "route:a",
      `rewrite(x) { x.upstream.headers.set("X-Version", "${n}"); }, access() { return new Promise((go) => setTimeout(go, 3)); }`,
    ),
    table: table("u", [], {
      nodes: [{ host: "127.0.0.1", port: ports[n % 2] ?? 0, weight: 1, priority: 0 }],
      keepalive: { size: 32, idleTimeout: 5, requests: 1_000 },
      timeout: { connect: 60, send: 60, read: 60 },
    }),
  });

  beforeAll(async () => {
    for (const server of servers) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    ports = servers.map((server) => (server.address() as AddressInfo).port);
    const first = version(0);
    generations.start(
      1,
      artifact({
        routes: [row("a", { moduleId: "route:a", upstream: "u" })],
        modules: [first.module],
        upstreams: [first.table],
      }),
    );
    gateway = new DataServer({
      generation: () => generations.live,
      onRequestStart: (started) => generations.entered(started),
      onRequestEnd: (ended) => generations.left(ended),
    });
    ({ port } = await gateway.accept({ port: 0 }));
  });

  afterAll(async () => {
    await gateway.close(1_000);
    await generations.close(0);
    for (const server of servers) server.close();
  });

  function get(agent: Agent): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        { port, host: "127.0.0.1", path: "/a", agent },
        (incoming: IncomingMessage) => {
          let body = "";
          incoming.setEncoding("latin1").on("data", (piece: string) => {
            body += piece;
          });
          incoming.on("end", () => resolve(`${incoming.statusCode} ${body}`));
        },
      );
      outgoing.on("error", reject).end();
    });
  }

  it("no request fails during updates or combines the module of one version with the upstream of another", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    let updating = true;
    let served = 0;
    const wrong: string[] = [];
    const client = async () => {
      while (updating) {
        const answer = await get(agent);
        served++;
        const [, status, number, written] = /^(\d+) (\d) (\d+)$/.exec(answer) ?? [];
        if (status !== "200" || Number(written) % 2 !== Number(number)) wrong.push(answer);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (let n = 1; n <= UPDATES; n++) {
      const { module, table } = version(n);
      await generations.prepare(n + 1, delta({ modules: { put: [module] }, upstreams: { put: [table] } }));
      generations.activate();
      await new Promise((go) => setTimeout(go, 2));
    }
    updating = false;
    await Promise.all(clients);
    agent.destroy();
    expect(wrong).toEqual([]);
    expect(served).toBeGreaterThan(UPDATES / 2);
    expect(await get(new Agent())).toBe(`200 ${UPDATES % 2} ${UPDATES}`);
  });
});
