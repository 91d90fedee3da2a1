import { spawn } from "node:child_process";
import { once } from "node:events";
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

/** Reads nothing for 700 ms, then counts the bytes of one body and those that are not of the pattern, and answers with both. */
const SLOW_UPSTREAM = `
  const server = require("node:net").createServer({ pauseOnConnect: true }, (socket) => {
    let left = ${SIZE}, body = false, wrong = 0;
    socket.on("data", (piece) => {
      let start = 0;
      if (!body) { start = piece.indexOf("\\r\\n\\r\\n") + 4; body = true; }
      for (let i = start; i < piece.length; i += 4093)
        if (piece[i] !== "0123456789abcdef".charCodeAt((${SIZE} - left + i - start) % 16)) wrong++;
      left -= piece.length - start;
      if (left > 0) return;
      const text = ${SIZE} - left + " bytes, " + wrong + " wrong";
      socket.end("HTTP/1.1 200 OK\\r\\nContent-Length: " + text.length + "\\r\\n\\r\\n" + text);
    });
    setTimeout(() => socket.resume(), 700);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** Port of such an upstream, in a process of its own, so that its memory is not the gateway's. */
async function slowUpstream(): Promise<number> {
  const child = spawn(process.execPath, ["-e", SLOW_UPSTREAM], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return Number(line.toString());
}

/**
 * Sends a request and reads nothing until `upTo`, then into one buffer, so that the test itself makes no garbage.
 * Resolves when a head and `size` bytes of the pattern have come.
 */
function countingClient(port: number, request: string): { upTo(size: number): Promise<void> } {
  let body = -1;
  let wake: (() => void) | undefined;
  const client = connect({
    port,
    host: "127.0.0.1",
    onread: {
      buffer: Buffer.alloc(MB),
      callback(length, buffer) {
        let start = 0;
        if (body < 0) {
          start = Buffer.from(buffer.buffer, buffer.byteOffset, length).indexOf("\r\n\r\n") + 4;
          body = 0;
        }
        for (let i = start; i < length; i += 4_093) {
          if (buffer[i] !== PIECE[(body + i - start) % 16])
            client.destroy(new Error(`wrong byte near ${body}`));
        }
        body += length - start;
        wake?.();
        return wake !== undefined;
      },
    },
  });
  onTestFinished(() => void client.destroy());
  client.write(request);
  return {
    upTo: (size) =>
      new Promise((resolve, reject) => {
        wake = () => {
          if (body === size) resolve();
        };
        client.on("error", reject);
        client.on("close", () => reject(new Error(`closed at ${body}`)));
        client.resume();
      }),
  };
}

/** Body of the response, once it is as long as its length says. */
function bodyOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (piece: Buffer) => {
      text += piece.toString("latin1");
      const length = /\r\nContent-Length: (\d+)\r\n/.exec(text)?.[1];
      const body = text.slice(text.indexOf("\r\n\r\n") + 4);
      if (length !== undefined && body.length === Number(length)) resolve(body);
    });
    socket.on("close", () => reject(new Error(`closed behind ${JSON.stringify(text)}`)));
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
    const received = countingClient(gateway.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await wait(500);
    expect(sent.written()).toBeLessThan(STALLED_BELOW);
    await received.upTo(SIZE);
    expect(growth()).toBeLessThan(GROWTH_BELOW);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
  });

  it("waits for a slow upstream, in bounded memory, and arrives whole", async () => {
    const upstream = await slowUpstream();
    const gateway = await startGateway({
      nodes: [upstream],
      table: { timeout: { connect: 5, send: 5, read: 5 } },
    });
    const growth = watchMemory();
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${SIZE}\r\n\r\n`);
    const sent = pump(client, SIZE);
    await wait(500);
    expect(sent.written()).toBeLessThan(STALLED_BELOW);
    expect(await bodyOf(client)).toBe(`${SIZE} bytes, 0 wrong`);
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
