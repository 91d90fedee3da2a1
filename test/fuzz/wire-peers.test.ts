import http from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Exchange } from "../../runtime/abi/exchange.js";
import { chunked, type Fields } from "../../runtime/control/in-process/wire-message.js";
import { startGateway, startUpstream } from "../e2e/wire/gateway.js";
import { RawClient } from "../support/raw-client.js";
import type { RawRequest } from "../support/raw-upstream.js";
import { startHaproxy, startNginx } from "./peers.js";

const RUNS = 500;

/** Parts of a message on which every reader must agree. */
interface Seen {
  start: string;
  fields: string[];
  body: string;
}

/** Headers of one connection, and those that depend on the receiver. */
const APART = new Set([
  ...["connection", "keep-alive", "transfer-encoding", "content-length", "trailer", "date", "server"],
  ...["x-forwarded-port", "x-forwarded-for"],
]);

const seen = (start: string, fields: Fields, body: string): Seen => ({
  start,
  fields: fields
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !APART.has(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort(),
  body,
});

const token = fc.constantFrom("X-A", "x-b", "X-C1", "X_U", "Accept", "Cookie", "Range-X", "Via");
const text = (max: number) =>
  fc
    .array(fc.oneof(fc.integer({ min: 32, max: 126 }), fc.integer({ min: 160, max: 255 })), {
      maxLength: max,
    })
    .map((codes) => String.fromCharCode(...codes));
const fieldText = text(30)
  .map((value) => value.trim())
  .filter((value) => value !== "");
const fields = fc.array(fc.tuple(token, fieldText), { maxLength: 5 });
const bytes = fc.oneof(
  text(60),
  fc.constantFrom("", "0\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\r\n\r\n", "\0\xff"),
  fc.integer({ min: 1, max: 200_000 }).map((size) => "pattern-".repeat(size / 8 + 1).slice(0, size)),
);
const target = fc
  .tuple(
    fc.array(fc.constantFrom("a", "B-c", "%41", "d.e", "~f", "g;h=1", "@", "(x)"), { maxLength: 4 }),
    fc.constantFrom("", "?", "?a=b", "?a=%26&b", "?/../x"),
  )
  .map(([segments, query]) => `/${segments.join("/")}${query}`);

interface Message {
  fields: Fields;
  body: string;
  framing: "length" | "chunked" | "close";
  chunk: number;
}
const message = (framings: Message["framing"][]) =>
  fc.record({
    fields: fields as fc.Arbitrary<Fields>,
    body: bytes,
    framing: fc.constantFrom(...framings),
    chunk: fc.constantFrom(1, 7, 1_000, 70_000).filter((size) => size > 0),
  });

const lines = (all: Fields) => all.map(([name, value]) => `${name}: ${value}\r\n`).join("");

function framed({ fields: all, body, framing, chunk }: Message, startLine: string): string {
  if (framing === "close") return `${startLine}\r\n${lines(all)}\r\n${body}`;
  if (framing === "length")
    return `${startLine}\r\n${lines(all)}Content-Length: ${body.length}\r\n\r\n${body}`;
  // Chunks of one byte only for short bodies: HAProxy and nginx are slow with a hundred thousand chunks.
  const size = body.length > 1_000 ? Math.max(chunk, 500) : chunk;
  return `${startLine}\r\n${lines(all)}Transfer-Encoding: chunked\r\n\r\n${chunked(body, size)}`;
}

/** Header edits of a plugin, which must leave the message well-formed. */
const edit = (headers: Exchange["upstream"]["headers"]) => {
  headers.set("X-A", "set by a plugin");
  headers.append("X-New", "one\r\ntwo");
  headers.delete("x-b");
};

/** Reused connection for each way, opened again after the other end has closed it. */
class Way {
  readonly port: number;
  #client: RawClient | undefined;

  constructor(port: number) {
    this.port = port;
  }

  async exchange(request: string, method: string): Promise<Seen & { status: number }> {
    this.#client ??= await RawClient.open(this.port);
    const client = this.#client;
    onTestFinished(() => client.close());
    await client.send(request);
    const got = await client.response(method);
    if (got.closed || got.headers.some(([name, value]) => /^connection$/i.test(name) && value === "close"))
      this.#client = undefined;
    expect(got.stray).toBe("");
    return { status: got.status, ...seen(String(got.status), got.headers, got.body) };
  }
}

/** A `node:http` server that stores the last request it read. */
async function nodeServer(): Promise<{ port: number; last: () => Seen | undefined }> {
  let last: Seen | undefined;
  const server = http.createServer((request, response) => {
    let body = "";
    request.setEncoding("latin1").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => {
      const raw = request.rawHeaders;
      const pairs = raw.flatMap((name, i) =>
        i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as [string, string]] : [],
      );
      last = seen(`${request.method} ${request.url}`, pairs, body);
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, last: () => last };
}

describe("messages that the gateway sends", () => {
  it("a request to an upstream is the same to node:http, nginx and HAProxy", async () => {
    const upstream = await startUpstream(() => ({
      writes: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
    }));
    const node = await nodeServer();
    const nginx = await startNginx(upstream.port, upstream.port);
    const haproxy = await startHaproxy(upstream.port, upstream.port);
    const through = async (port: number) => {
      const gateway = await startGateway({
        nodes: [port],
        module: { rewrite: (x) => edit(x.upstream.headers) },
        table: { timeout: { connect: 5, send: 5, read: 10 } },
      });
      return new Way(gateway.port);
    };
    const ways = {
      direct: await through(upstream.port),
      nginx: await through(nginx.toUpstream),
      haproxy: await through(haproxy.toUpstream),
      node: await through(node.port),
    };
    const request = fc.record({
      method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
      target,
      message: message(["length", "chunked"]),
    });
    const lastSeen = () => {
      const { method, target: got, headers, body } = upstream.requests.at(-1) as RawRequest;
      return seen(`${method} ${got}`, headers, body);
    };
    await fc.assert(
      fc.asyncProperty(request, async ({ method, target: path, message: sent }) => {
        const wire = framed(
          { ...sent, fields: [["Host", "a.example:81"], ...sent.fields] },
          `${method} ${path} HTTP/1.1`,
        );
        expect((await ways.direct.exchange(wire, method)).status).toBe(200);
        const direct = lastSeen();
        // The gateway sends the normalized path: an escaped unreserved character becomes the character.
        expect(direct.start).toBe(`${method} ${path.replaceAll("%41", "A")}`);
        expect(direct.body).toBe(sent.body);
        expect((await ways.nginx.exchange(wire, method)).status).toBe(200);
        expect(lastSeen()).toEqual(direct);
        expect((await ways.haproxy.exchange(wire, method)).status).toBe(200);
        expect(lastSeen()).toEqual(direct);
        expect((await ways.node.exchange(wire, method)).status).toBe(200);
        expect(node.last()).toEqual(direct);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
    );
  });

  it("a response to a client is the same to node:http, nginx and HAProxy", async () => {
    let answer = "";
    let end = false;
    const upstream = await startUpstream(() => ({ writes: [answer], end }));
    const gateway = await startGateway({
      nodes: [upstream.port],
      module: { headerFilter: (x) => edit(x.response.headers) },
    });
    const nginx = await startNginx(upstream.port, gateway.port);
    const haproxy = await startHaproxy(upstream.port, gateway.port);
    const ways = [gateway.port, nginx.toGateway, haproxy.toGateway].map((port) => new Way(port));
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const response = fc.record({
      method: fc.constantFrom("GET", "GET", "HEAD"),
      status: fc.constantFrom(200, 204, 206, 299, 304, 404, 500),
      message: message(["length", "chunked", "close"]),
    });
    await fc.assert(
      fc.asyncProperty(response, async ({ method, status, message: sent }) => {
        const bodiless = method === "HEAD" || status === 204 || status === 304;
        answer = framed(
          bodiless ? { ...sent, body: "", framing: "length" } : sent,
          `HTTP/1.1 ${status} Fine`,
        );
        if (bodiless) answer = answer.replace("Content-Length: 0\r\n", "");
        end = sent.framing === "close";
        const wire = `${method} / HTTP/1.1\r\nHost: a\r\n\r\n`;
        const first = await (ways[0] as Way).exchange(wire, method);
        expect(first.status).toBe(status);
        expect(first.body).toBe(bodiless ? "" : sent.body);
        for (const way of ways.slice(1)) expect(await way.exchange(wire, method)).toEqual(first);
        expect(await nodeClient(gateway.port, method, agent)).toEqual(first);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
    );
  });
});

/** Response as the client of `node:http` reads it. */
function nodeClient(port: number, method: string, agent: http.Agent): Promise<Seen & { status: number }> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: "127.0.0.1", method, agent, headers: { host: "a" } },
      (response) => {
        let body = "";
        response.setEncoding("latin1").on("data", (piece: string) => {
          body += piece;
        });
        response.on("end", () => {
          const raw = response.rawHeaders;
          const pairs = raw.flatMap((name, i) =>
            i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as [string, string]] : [],
          );
          const status = response.statusCode ?? 0;
          resolve({ status, ...seen(String(status), pairs, body) });
        });
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end();
  });
}
