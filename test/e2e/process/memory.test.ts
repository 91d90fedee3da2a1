// A body of 1 GB passes through a worker that may buffer only the difference between a fast and a slow end.
// The resident memory is that of the worker alone: client and upstream are in this process.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryUnwatched, watchResident } from "../../support/process-memory.js";
import { ProcessGateway } from "./gateway.js";

const MB = 1_048_576;
const SIZE = 1_024 * MB;
/**
 * Bytes that pass before the measurement, so that code is loaded; growth after 1 MB: +4 MB, after 128 MB: +2
 * MB.
 */
const WARM_UP = MB;
const GROWTH_BELOW = 20 * MB;
/**
 * Limit of accepted bytes while the reader is stopped: kernel buffers of both hops take some megabytes, the
 * rest is memory of the worker.
 */
const STALLED_BELOW = 40 * MB;
const PIECE = Buffer.alloc(MB, "0123456789abcdef");

/**
 * Writes `size` bytes as fast as the other end reads; returns a function with the bytes passed to the socket
 * so far.
 */
function pump(socket: Socket, size: number): () => number {
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
  return () => given;
}

/**
 * Reads one message, checks its pattern and resolves with the length of its body once it has `size` bytes.
 */
function bodyLength(socket: Socket, size: number): Promise<number> {
  let body = -1;
  return new Promise((resolve, reject) => {
    socket.on("data", (piece: Buffer) => {
      let start = 0;
      if (body < 0) {
        start = piece.indexOf("\r\n\r\n") + 4;
        body = 0;
      }
      for (let i = start; i < piece.length; i += 4_093)
        if (piece[i] !== PIECE[(body + i - start) % 16]) socket.destroy(new Error(`wrong byte near ${body}`));
      body += piece.length - start;
      if (body >= size) resolve(body);
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`closed at ${body}`)));
  });
}

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Starts one worker in front of one upstream, which may be silent for some seconds. */
async function startWorker(upstream: number): Promise<{ gateway: ProcessGateway; pid: number }> {
  const gateway = await ProcessGateway.start(
    {
      upstreams: [{ id: "u", nodes: { [`127.0.0.1:${upstream}`]: 1 } }],
      routes: [{ id: "r", uri: "/*", upstream_id: "u" }],
    },
    { workers: 1 },
  );
  onTestFinished(() => gateway.end());
  const [worker] = await gateway.workers();
  if (worker === undefined) throw new Error("no worker");
  return { gateway, pid: worker.pid };
}

function open(port: number, request: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(request);
  return socket;
}

describe.skipIf(memoryUnwatched !== undefined)(
  `resident memory of a worker during a body of 1 GB${memoryUnwatched ? ` (${memoryUnwatched})` : ""}`,
  () => {
    it("resident memory of a worker grows by less than 20 MB while a slow client reads 1 GB", async () => {
      let sent = () => 0;
      const upstream = await listening((socket) => {
        socket.on("data", (head: Buffer) => {
          const size = Number(/^GET \/(\d+) /.exec(head.toString("latin1"))?.[1]);
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
          sent = pump(socket, size);
        });
        socket.resume();
      });
      const { gateway, pid } = await startWorker(upstream);
      const request = (size: number) => `GET /${size} HTTP/1.1\r\nHost: a\r\n\r\n`;
      await bodyLength(open(gateway.port, request(WARM_UP)), WARM_UP);
      const growth = watchResident(pid);
      const client = open(gateway.port, request(SIZE));
      client.pause();
      await wait(700);
      expect(sent()).toBeLessThan(STALLED_BELOW);
      const received = bodyLength(client, SIZE);
      client.resume();
      expect(await received).toBe(SIZE);
      expect(growth()).toBeLessThan(GROWTH_BELOW);
    });

    it("resident memory of a worker grows by less than 20 MB while a slow upstream reads 1 GB", async () => {
      const upstream = await listening((socket) => {
        setTimeout(async () => {
          const [head] = (await once(socket.resume(), "data")) as [Buffer];
          const size = Number(/Content-Length: (\d+)/.exec(head.toString("latin1"))?.[1]);
          socket.pause().unshift(head);
          const length = bodyLength(socket, size);
          socket.resume();
          const text = String(await length);
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
        }, 700);
      });
      const { gateway, pid } = await startWorker(upstream);
      const upload = async (size: number, stalled?: (given: number) => void) => {
        const client = open(gateway.port, `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
        const given = pump(client, size);
        await wait(500);
        stalled?.(given());
        const answer = String((await once(client, "data"))[0]);
        expect(answer.endsWith(`\r\n\r\n${size}`), answer).toBe(true);
      };
      await upload(WARM_UP);
      const growth = watchResident(pid);
      await upload(SIZE, (given) => expect(given).toBeLessThan(STALLED_BELOW));
      expect(growth()).toBeLessThan(GROWTH_BELOW);
    });
  },
);
