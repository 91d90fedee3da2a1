import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { childrenOf, ProcessGateway } from "./gateway.js";

const HEADER_TIMEOUT_S = 5;
const FROZEN_MS = 6_000;
/** Few enough to be accepted well within header_timeout, which counts from the accept. */
const CONNECTIONS = 40;

let gateway: ProcessGateway;
afterEach(() => gateway.end());

async function open(): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

/** Bytes that arrive until the gateway closes the connection. */
async function responseOn(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
  await once(socket, "end");
  return text;
}

it("a host that was frozen for longer than header_timeout responds on all accepted connections", async () => {
  gateway = await ProcessGateway.start(
    {
      routes: [{ id: "own", uri: "/*", plugins: { "response-rewrite": { status_code: 200, body: "own" } } }],
    },
    { limits: { header_timeout: HEADER_TIMEOUT_S } },
  );
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  await until(async () => {
    const accepted = (await gateway.workers()).reduce((sum, { connections }) => sum + connections, 0);
    return accepted === CONNECTIONS;
  });
  const launcher = gateway.process.pid ?? 0;
  const all = [launcher, ...childrenOf(launcher)];
  for (const pid of all) process.kill(pid, "SIGSTOP");
  const responses = Promise.all(sockets.map(responseOn));
  for (const socket of sockets) socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await wait(FROZEN_MS);
  for (const pid of all) process.kill(pid, "SIGCONT");
  const statuses = (await responses).map((text) => text.split(" ")[1] ?? "no response");
  expect(statuses).toEqual(Array(CONNECTIONS).fill("200"));
});
