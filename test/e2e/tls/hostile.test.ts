import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../../runtime/http/limits.js";
import { type Issued, issue } from "../../support/certificates.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { until } from "../../support/patience.js";
import type { Respond } from "../../support/raw-upstream.js";
import { OK, proxyTo } from "../wire/gateway.js";
import { fetchOver, handshake, mirror, plainTo, secureGateway, wholeOf } from "./harness.js";

// Traffic of clients on a TLS port, faulty or hostile.

let issued: Issued;
beforeAll(() => {
  issued = issue({ names: ["a.example"] });
});

const harness = async (limits: object = {}, upstream?: number) => {
  const port = upstream ?? (await mirror()).port;
  const route = { id: "r", uri: "/*", upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } };
  const ssl = { id: "a", sni: "a.example", ...issued };
  return secureGateway({ routes: [route], ssls: [ssl] }, { fallback_sni: "a.example" }, { limits });
};

/** First bytes of a client with this server name. */
async function helloOf(servername: string): Promise<Buffer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const client = connect({ port, host: "127.0.0.1", servername });
  client.on("error", () => {});
  const [accepted] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(accepted, "data")) as [Buffer];
  client.destroy();
  accepted.destroy();
  server.close();
  return hello;
}

/** A TLS port before an upstream with this behaviour, by a clock that only the test advances. */
async function timed(respond: Respond = () => ({ writes: [OK] }), limits: Partial<Limits> = {}) {
  const clock = new DeadlineClock();
  const { port, server } = await proxyTo(respond, { clock, secure: true, options: { limits } });
  return { clock, port, server };
}

const serves = async (port: number) =>
  expect(await fetchOver(await handshake(port, { servername: "a.example" }))).toMatch(/^HTTP\/1\.1 200 /);

describe("a TLS port", () => {
  it("a request without TLS on a TLS port is rejected with 400", async () => {
    const { port } = await harness();
    const answer = await fetchOver(await plainTo(port));
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain("Connection: close");
    await serves(port);
  });

  it("half a request without TLS on a TLS port is rejected with 408 after the timeout", async () => {
    const { clock, port } = await timed();
    const socket = await plainTo(port);
    socket.write("GE");
    expect(await clock.advanceUntil(wholeOf(socket))).toMatch(/^HTTP\/1\.1 408 /);
  });

  it.each<[string, Buffer]>([
    ["zeros", Buffer.alloc(100)],
    ["an alert", Buffer.from([21, 3, 3, 0, 2, 2, 0])],
    ["a hello of SSL 2", Buffer.from([0x80, 0x2e, 1, 0, 2, 0, 0x15, 0, 0, 0, 0x10])],
    ["another message than a hello", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ["a record without content", Buffer.from([22, 3, 1, 0, 0])],
    ["a record that is too long", Buffer.from([22, 3, 1, 255, 255, 1])],
    ["a hello that is too long", Buffer.from([22, 3, 1, 0, 4, 1, 255, 255, 255])],
    ["a hello without its parts", Buffer.from([22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3])],
  ])("a connection with %s on a TLS port is closed, and others are served", async (_, bytes) => {
    const { port } = await harness();
    const socket = await plainTo(port);
    socket.write(bytes);
    expect(await wholeOf(socket)).not.toContain("HTTP");
    await serves(port);
  });

  it("a hello byte by byte and one in records of one byte are handled", async () => {
    const { port } = await harness();
    const hello = await helloOf("a.example");
    const socket = await plainTo(port);
    for (const byte of hello) {
      socket.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer[0]).toBe(22);
    const cut = await plainTo(port);
    const records = [...hello.subarray(5)].map((byte) => [22, 3, 1, 0, 1, byte]);
    cut.write(Buffer.from(records.flat()));
    const [other] = (await once(cut, "data")) as [Buffer];
    expect([21, 22]).toContain(other[0]);
    await serves(port);
  });

  it("a server name of 10,000 bytes is refused with a TLS alert", async () => {
    const { port } = await harness();
    const hello = await helloOf("a.example");
    const name = Buffer.alloc(10_000, 0x61);
    const at = hello.indexOf("a.example");
    const longer = Buffer.concat([hello.subarray(0, at), name, hello.subarray(at + 9)]);
    const more = name.length - 9;
    // The name, its list, the extension and their containers.
    for (const place of [at - 2, at - 5, at - 7])
      longer.writeUInt16BE(longer.readUInt16BE(place) + more, place);
    longer.writeUInt16BE(longer.length - 5, 3);
    longer.writeUIntBE(longer.length - 9, 6, 3);
    const socket = await plainTo(port);
    socket.write(longer);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer[0]).toBe(21);
    await serves(port);
  });

  it.each([
    ["says nothing", 0],
    ["sends half a hello", 100],
    ["sends a hello and no more", 10_000],
  ])("a client that %s is closed after the handshake timeout", async (_, bytes) => {
    const { clock, port } = await timed();
    const socket = await plainTo(port);
    socket.write((await helloOf("a.example")).subarray(0, bytes));
    await clock.advanceUntil(wholeOf(socket));
    await serves(port);
  });

  it("an idle handshake, the oldest first, is closed for a new one above limits.handshakes", async () => {
    const { port } = await harness({ handshakes: 3 });
    const idle = [await plainTo(port), await plainTo(port), await plainTo(port)];
    const ended = wholeOf(idle[0] as Socket);
    await serves(port);
    expect(await ended).toBe("");
    expect(idle[2]?.destroyed).toBe(false);
  });

  it("a connection that is reset during the handshake releases its place", async () => {
    const { port } = await harness({ connections: 4 });
    const hello = await helloOf("a.example");
    for (let count = 0; count < 40; count++) {
      const socket = await plainTo(port);
      socket.write(hello.subarray(0, count * 20));
      await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    await until(() =>
      serves(port).then(
        () => true,
        () => false,
      ),
    );
  });

  it("renegotiation is refused", async () => {
    const { port } = await harness();
    const socket = await handshake(port, { servername: "a.example", maxVersion: "TLSv1.2" });
    const failed = new Promise<unknown>((resolve) => {
      socket.once("error", resolve);
      socket.once("close", () => resolve("closed"));
      socket.renegotiate({}, (error) => resolve(error));
    });
    expect(await failed).not.toBeNull();
    await serves(port);
  });

  it("openssl s_client is served over TLS", async () => {
    const { port } = await harness();
    const child = spawn("openssl", [
      "s_client",
      "-quiet",
      "-servername",
      "a.example",
      "-connect",
      `127.0.0.1:${port}`,
    ]);
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stdin.write("GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    await once(child, "close");
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("curl is served over TLS with HTTP/1.1", async () => {
    const { port } = await harness();
    const curl = ["-sk", "--resolve", `a.example:${port}:127.0.0.1`, `https://a.example:${port}/`];
    const child = spawn("curl", [...curl, "-w", " %{http_code} %{http_version}"]);
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await once(child, "close");
    expect(text).toMatch(/ 200 1\.1$/);
  });
});

describe("requests over TLS", () => {
  it("a client that half-closes its TLS connection receives its response", async () => {
    const { port } = await harness();
    const socket = await handshake(port, { servername: "a.example", allowHalfOpen: true });
    socket.end("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
    expect(await wholeOf(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("a response that breaks off resets the TLS connection, so that it does not look complete", async () => {
    const broken = createServer((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
        setTimeout(() => socket.resetAndDestroy(), 50);
      });
      socket.on("error", () => {});
    });
    broken.listen(0, "127.0.0.1");
    await once(broken, "listening");
    onTestFinished(() => void broken.close());
    const { port } = await harness({}, (broken.address() as { port: number }).port);
    const socket = await handshake(port, { servername: "a.example" });
    const error = new Promise<string>((resolve) => {
      socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? ""));
      socket.once("end", () => resolve("end"));
    });
    socket.resume();
    socket.write("GET / HTTP/1.0\r\nHost: a.example\r\n\r\n");
    expect(await error).toBe("ECONNRESET");
  });

  it("a long head over TLS is rejected with 431, and one that stalls with 408", async () => {
    const { clock, port } = await timed(undefined, { headerBytes: 2048 });
    const long = await handshake(port, { servername: "a.example" });
    long.write(`GET / HTTP/1.1\r\nHost: a.example\r\nX-A: ${"a".repeat(5000)}\r\n\r\n`);
    expect(await wholeOf(long)).toMatch(/^HTTP\/1\.1 431 /);
    const slow = await handshake(port, { servername: "a.example" });
    slow.write("GET / HTTP/1.1\r\nHo");
    expect(await clock.advanceUntil(wholeOf(slow))).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("a request over TLS with two kinds of framing is rejected with 400", async () => {
    const { port } = await harness();
    const socket = await handshake(port, { servername: "a.example" });
    socket.write(
      "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    expect(await wholeOf(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("a client that reads nothing of its response is cut, and one that reads slowly receives it whole", async () => {
    const size = 20_000_000;
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`;
    const { clock, port, server } = await timed(() => ({ writes: [head, "b".repeat(size)] }));
    const request = "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";
    const stuck = await handshake(port, { servername: "a.example" });
    stuck.write(request);
    await expect.poll(() => server.stats().inFlight).toBe(1);
    await until(async () => {
      await clock.advance(5_000);
      return server.stats().inFlight === 0;
    });
    expect((await wholeOf(stuck)).length).toBeLessThan(size);
    const slow = await handshake(port, { servername: "a.example" });
    slow.write(request);
    const began = clock.now();
    let taken = 0;
    slow.on("data", (chunk: Buffer) => {
      taken += chunk.length;
      slow.pause();
      void clock.advance(200).then(() => slow.resume());
    });
    await once(slow, "end");
    expect(clock.now() - began).toBeGreaterThan(DEFAULT_LIMITS.bodyTimeout);
    expect(taken).toBeGreaterThan(size);
  });
});
