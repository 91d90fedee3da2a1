import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { numbered, openSink } from "./sending.js";

/** A server that reads only after the test resumes it. */
async function lateReader() {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
  const accepted = once(server, "connection").then(([socket]) => socket as Socket);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, accepted };
}

it("a closed sink loses no record, although the server writes before it has read", async () => {
  const { port, accepted } = await lateReader();
  const sink = openSink({ port });
  await sink.send(numbered(0, 500, "x".repeat(1_000)));
  const closed = sink.close();
  const socket = await accepted;
  let read = "";
  socket.on("error", () => {});
  socket.write("as TLS does with its session tickets");
  // The reset of a closed connection would have arrived by now.
  await wait(100);
  socket.setEncoding("latin1").on("data", (text: string) => (read += text));
  socket.resume();
  await Promise.race([once(socket, "end"), once(socket, "close")]);
  socket.end();
  await closed;
  expect(read.split("\n").length - 1).toBe(500);
});

it("closing a sink does not wait forever for a server that never reads", async () => {
  const { port, accepted } = await lateReader();
  const sink = openSink({ port });
  await sink.send(numbered(0, 10));
  const socket = await accepted;
  onTestFinished(() => void socket.destroy());
  await sink.close();
});
