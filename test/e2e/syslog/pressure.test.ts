import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { SendError } from "../../../runtime/abi/delivery.js";
import { absent, SyslogServer } from "../../support/syslog-server.js";
import { entries, numbered, numbers, openSink } from "./sending.js";

/** Reads `step` bytes every 5 ms from each connection. */
async function slowServer(step: number): Promise<{ port: number; text: () => string; close: () => void }> {
  const sockets = new Set<Socket>();
  let text = "";
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    const timer = setInterval(() => {
      const piece: Buffer | null = socket.read(Math.min(step, socket.readableLength || 1));
      if (piece !== null) text += piece.toString("latin1");
    }, 5);
    socket.on("close", () => clearInterval(timer));
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, text: () => text, close };
}

describe("a slow server", () => {
  let stop: () => void = () => {};
  afterEach(() => stop());

  it("[log.syslog.row4] a batch is delivered whole to a slow server that continues to read", async () => {
    const server = await slowServer(256 * 1024);
    stop = server.close;
    const sink = openSink({ port: server.port, timeoutMs: 300 });
    // 20 MB at 50 MB a second and less: longer than the timeout, which only counts time without progress.
    const records = numbered(0, 2_000, "x".repeat(10_000));
    const started = performance.now();
    await sink.send(records);
    expect(performance.now() - started).toBeGreaterThan(100);
    const whole = records.map(({ payload }) => `${payload}\n`).join("");
    for (const end = Date.now() + 20_000; server.text().length < whole.length && Date.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.text() === whole).toBe(true);
    await sink.close();
  });

  it("[log.syslog.row4] a batch fails after the timeout without progress", async () => {
    const server = createServer({ pauseOnConnect: true }, (socket) => socket.on("error", () => {}));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    stop = () => server.close();
    const sink = openSink({ port: (server.address() as AddressInfo).port, timeoutMs: 300 });
    const error = await sink.send(numbered(0, 3_000, "x".repeat(10_000))).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: "SendError",
      delivered: 0,
      message: expect.stringContaining("no progress for 300 ms"),
    });
    await sink.close();
  });

  it("a confirming sink fails a batch that a frozen server has not read, and delivers it later", async () => {
    if (absent("rsyslog")) return;
    const server = await SyslogServer.start("rsyslog");
    onTestFinished(() => server.stop());
    const sink = openSink({ port: server.ports.tcp, timeoutMs: 50, confirm: true });
    await sink.send(numbered(0, 1));
    await server.freeze();
    // The kernel of the server receives these bytes; its process never reads them.
    await expect(sink.send(numbered(1, 1))).rejects.toThrow("has not read the batch within 500 ms");
    server.thaw();
    await sink.send(numbered(1, 1));
    expect(new Set(numbers(await server.receives(2)))).toEqual(new Set([0, 1]));
    await sink.close();
  });
});

describe("limits of the sink", () => {
  it("[log.syslog.row7] messages longer than drop_limit are refused, and the others are sent", async () => {
    const server = await SyslogServer.start("rsyslog");
    onTestFinished(() => server.stop());
    const sink = openSink({ port: server.ports.tcp, flushLimit: 1024, dropLimit: 2048 });
    const error = await sink
      .send(entries({ n: 0 }, { n: 1, long: "x".repeat(3000) }, { n: 2 }))
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ name: "SendError", delivered: 3, refused: [1] });
    expect(numbers(await server.receives(2))).toEqual([0, 2]);
    await sink.close();
  });

  it("[log.syslog.row9] a sink opens at most pool_size connections and reuses them", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.resume();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const sink = openSink({ port: (server.address() as AddressInfo).port, poolSize: 5 });
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 20 }, (_, i) => sink.send(numbered(i, 1))));
    expect(sockets.length).toBe(5);
    await sink.close();
    server.close();
    await once(server, "close");
  });

  it("a confirming sink fails a batch that the server's kernel has not acknowledged", async () => {
    const server = createServer({ pauseOnConnect: true }, (socket) => socket.on("error", () => {}));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const sink = openSink({ port: (server.address() as AddressInfo).port, confirm: true, timeoutMs: 50 });
    // Fills the buffers of both kernels in part: all is written, not all is acknowledged.
    const error = await sink.send(numbered(0, 300, "x".repeat(10_000))).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "SendError" });
    expect((error as SendError).delivered).toBeLessThan(300);
    await sink.close();
    server.close();
  });

  it("a confirming sink trusts a server that never closes a connection, and reports it once", async () => {
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.resume();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { SenderContext } = await import("./sending.js");
    const context = new SenderContext();
    const { port } = server.address() as AddressInfo;
    const sink = openSink({ port, confirm: true, timeoutMs: 50 }, context);
    await sink.send(numbered(0, 1));
    await sink.send(numbered(1, 1));
    expect(context.reports).toEqual([
      { event: "syslog server does not confirm", fields: { destination: `127.0.0.1:${port}` } },
    ]);
    await sink.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
