import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { listening, startGateway } from "./gateway.js";
import { own } from "./holding.js";

const MB = 1_048_576;
const PIECE = Buffer.alloc(MB, "0123456789abcdef");

describe("chunked bodies of 100 MB", () => {
  it("chunked bodies of 100 MB pass through the gateway in both directions at once", async () => {
    const size = 100 * MB;
    const upstream = await listening((socket) => {
      socket.removeAllListeners("data");
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      socket.on("data", (piece: Buffer) => {
        if (!socket.write(piece)) {
          socket.pause();
          socket.once("drain", () => socket.resume());
        }
      });
    });
    const gateway = await startGateway({ nodes: [upstream.port] });
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    await new Promise((resolve) => client.once("data", resolve));
    let received = 0;
    let tail = "";
    const done = new Promise<void>((resolve) => {
      client.on("data", (piece: Buffer) => {
        received += piece.length;
        tail = (tail + piece.toString("latin1")).slice(-5);
        if (tail === "0\r\n\r\n") resolve();
      });
    });
    for (let i = 0; i < size / MB; i++) {
      client.cork();
      client.write(`${MB.toString(16)}\r\n`);
      client.write(PIECE);
      const free = client.write("\r\n");
      client.uncork();
      if (!free) await new Promise((resolve) => client.once("drain", resolve));
    }
    client.write("0\r\n\r\n");
    await done;
    expect(received).toBeGreaterThan(size);
  });
});

describe("a response that waits for its client", () => {
  const size = 30 * MB;
  const CLOSING = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

  /**
   * A gateway whose local reply is larger than the kernel's buffers, and a client that has sent a request and
   * reads nothing.
   */
  async function waiting(request: string) {
    const clock = new DeadlineClock();
    const gateway = await startGateway({ module: own(200, "x".repeat(size)), clock });
    const { socket } = await gateway.client();
    socket.pause();
    socket.write(request);
    await expect.poll(() => gateway.server.stats().connections).toBe(1);
    await clock.advance(1_000);
    return { clock, gateway, socket };
  }

  async function bytesUntilEnd(socket: Socket): Promise<number> {
    let taken = 0;
    socket.on("data", (piece: Buffer) => {
      taken += piece.length;
    });
    socket.resume();
    await once(socket, "end");
    return taken;
  }

  it("a response is sent whole to a client that reads nothing for half of bodyTimeout", async () => {
    const { clock, socket } = await waiting(CLOSING);
    await clock.advance(DEFAULT_LIMITS.bodyTimeout / 2);
    expect(await bytesUntilEnd(socket)).toBeGreaterThan(size);
  });

  it("a response is sent whole to a client that half-closes its connection meanwhile", async () => {
    const { clock, socket } = await waiting(CLOSING);
    socket.end();
    await clock.advance(5_000);
    expect(await bytesUntilEnd(socket)).toBeGreaterThan(size);
  });

  it("a client that ends its request body but reads nothing of the response is cut after bodyTimeout", async () => {
    const { clock, gateway, socket } = await waiting(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab",
    );
    socket.write("c");
    await clock.advance(3 * DEFAULT_LIMITS.bodyTimeout);
    await expect.poll(() => gateway.server.stats().connections).toBe(0);
    expect(await bytesUntilEnd(socket).catch(() => 0)).toBeLessThan(size);
  });
});
