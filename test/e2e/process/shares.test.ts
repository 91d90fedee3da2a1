import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
let gateway: ProcessGateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  const { nodes } = upstream;
  gateway = await ProcessGateway.start({ routes: [{ id: "all", uri: "/*", upstream: { nodes } }] });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.end();
});

/** Opens a connection and waits for a response on it; the connection stays open. */
async function kept(): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1");
  sockets.push(socket);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "data");
  return socket;
}

const shares = async () => (await gateway.workers()).map(({ connections }) => connections);

describe("idle connections on a listening socket that workers share", () => {
  it("idle connections spread over the workers, with at most 34 of 40 on one", async () => {
    for (let n = 0; n < 40; n += 1) {
      await kept();
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await until(async () => (await shares()).reduce((sum, share) => sum + share, 0) === 40);
    // A worker pauses above 1.5 times the mean: 30 of 40, and those that arrive before the pause.
    expect(Math.max(...(await shares()))).toBeLessThanOrEqual(34);
  });

  it("the worker with most connections accepts new ones after its connections have closed", async () => {
    const [busy] = (await gateway.workers()).sort((a, b) => b.connections - a.connections);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await shares()).every((share) => share === 0));
    for (let n = 0; n < 40; n += 1) {
      await kept();
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const now = (await gateway.workers()).find(({ pid }) => pid === busy?.pid);
    expect(now?.connections).toBeGreaterThan(0);
  });
});
