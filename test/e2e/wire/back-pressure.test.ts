import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening, startGateway } from "./gateway.js";

const MB = 1_048_576;
const SIZE = 1_024 * MB;
/** Kernel buffers of the two hops, both ends, take some megabytes; more than this would be the gateway's memory. */
const STALLED_BELOW = 40 * MB;
const GROWTH_BELOW = 20 * MB;
const PIECE = Buffer.alloc(MB, "0123456789abcdef");

/** Writes `size` bytes as fast as the other end takes them. */
function pump(socket: Socket, size: number): { written(): number } {
  let given = 0;
  const more = () => {
    while (given < size) {
      given += PIECE.length;
      if (!socket.write(PIECE)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
  return { written: () => given };
}

/** Most memory outside and inside the heap since the start, in bytes; the test's own ends are in it. */
function watchMemory(): () => number {
  const held = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, held());
  }, 20);
  onTestFinished(() => clearInterval(timer));
  return () => most - before;
}

/** Reads and checks a body of `size` bytes of the pattern; resolves when it is there. */
function drain(socket: Socket, size: number): Promise<void> {
  let position = 0;
  return new Promise((resolve, reject) => {
    socket.on("data", (piece: Buffer) => {
      const offset = position % 16;
      if (piece[0] !== PIECE[offset] || piece[piece.length - 1] !== PIECE[(offset + piece.length - 1) % 16])
        reject(new Error(`wrong byte near ${position}`));
      position += piece.length;
      if (position === size) resolve();
      if (position > size) reject(new Error(`${position - size} bytes too many`));
    });
    socket.on("end", () => reject(new Error(`ended at ${position}`)));
    socket.on("error", reject);
    socket.resume();
  });
}

/** Resolves with the rest behind the head. */
function afterHead(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let text = "";
    const read = (piece: Buffer) => {
      text += piece.toString("latin1");
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      socket.off("data", read);
      socket.pause();
      const rest = Buffer.from(text.slice(end + 4), "latin1");
      if (rest.length > 0) socket.unshift(rest);
      resolve();
    };
    socket.on("data", read);
  });
}

describe("a body of 1 GB", () => {
  it("waits for a slow client, in bounded memory, and arrives whole", async () => {
    let sent: { written(): number } = { written: () => 0 };
    const upstream = await listening((socket) => {
      socket.removeAllListeners("data");
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
      sent = pump(socket, SIZE);
    });
    const gateway = await startGateway({ nodes: [upstream.port] });
    const growth = watchMemory();
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await afterHead(client);
    await wait(500);
    expect(sent.written()).toBeLessThan(STALLED_BELOW);
    await drain(client, SIZE);
    expect(growth()).toBeLessThan(GROWTH_BELOW);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
  });

  it("waits for a slow upstream, in bounded memory, and arrives whole", async () => {
    let accepted: Socket | undefined;
    const upstream = await listening((socket) => {
      if (accepted !== undefined) return;
      accepted = socket;
      socket.removeAllListeners("data");
      socket.pause();
    });
    const gateway = await startGateway({
      nodes: [upstream.port],
      table: { timeout: { connect: 5, send: 5, read: 5 } },
    });
    const growth = watchMemory();
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${SIZE}\r\n\r\n`);
    await expect.poll(() => accepted).toBeDefined();
    const sent = pump(client, SIZE);
    await wait(500);
    expect(sent.written()).toBeLessThan(STALLED_BELOW);
    const socket = accepted as unknown as Socket;
    await drain(socket, SIZE);
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    await afterHead(client);
    expect(growth()).toBeLessThan(GROWTH_BELOW);
  });
});

describe("chunked bodies of 100 MB", () => {
  it("pass through in both directions at once", async () => {
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
    await afterHead(client);
    let received = 0;
    let tail = "";
    const done = new Promise<void>((resolve) => {
      client.on("data", (piece: Buffer) => {
        received += piece.length;
        tail = (tail + piece.toString("latin1")).slice(-5);
        if (tail === "0\r\n\r\n") resolve();
      });
    });
    client.resume();
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
