import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sink } from "../../../runtime/abi/delivery.js";
import { issue } from "../../support/certificates.js";
import { answers, LogStore } from "../../support/log-store.js";
import { entries, failure, numbered, numbers, openSink, SenderContext, upTo } from "./sending.js";

let store: LogStore;
let sink: Sink | undefined;
beforeEach(async () => {
  store = await LogStore.start();
});
afterEach(async () => {
  await sink?.close();
  await store.kill();
});

const uri = (path = "/ingest") => `http://127.0.0.1:${store.port}${path}`;

describe("what a request holds", () => {
  it("json: an array, as POST with a type and a length", async () => {
    sink = openSink({ uri: uri("/ingest?team=shop") });
    await sink.send(entries({ a: "größer" }, { b: [1] }));
    expect(store.texts).toEqual(['[{"a":"größer"},{"b":[1]}]']);
    const [{ method, url, headers, body } = {} as never] = store.requests;
    expect([method, url]).toEqual(["POST", "/ingest?team=shop"]);
    expect(headers).toMatchObject({
      host: `127.0.0.1:${store.port}`,
      "content-type": "application/json",
      "content-length": String(body.length),
      "user-agent": "gwc",
    });
    expect(headers["content-encoding"]).toBeUndefined();
  });

  it("json with batch_max_size: 1: each record alone, as an object, over one connection", async () => {
    sink = openSink({ uri: uri(), records: 1 });
    await sink.send(numbered(0, 3));
    expect(store.texts).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
    expect(store.connections).toBe(1);
  });

  it("ndjson: a record a line, each ended", async () => {
    sink = openSink({ uri: uri(), format: "ndjson", method: "PUT" });
    await sink.send(numbered(0, 2));
    expect(store.texts).toEqual(['{"n":0}\n{"n":1}\n']);
    expect(store.requests[0]).toMatchObject({
      method: "PUT",
      headers: { "content-type": "application/x-ndjson" },
    });
  });

  it.each(["gzip", "zstd"] as const)("%s: the same, coded and shorter", async (compression) => {
    sink = openSink({ uri: uri(), compression });
    await sink.send(numbered(0, 100, "x".repeat(100)));
    expect(store.requests[0]?.headers["content-encoding"]).toBe(compression);
    expect(numbers(store.texts)).toEqual(upTo(100));
    expect(store.requests[0]?.body.length).toBeLessThan(2_000);
  });

  it("headers with what their secrets stand for, a type of one's own among them", async () => {
    const headers = { Authorization: "secret:Bearer t0ken", "Content-Type": "secret:text/plain" };
    sink = openSink({ uri: uri(), headers });
    await sink.send(numbered(0, 1));
    expect(store.requests[0]?.headers).toMatchObject({
      authorization: "Bearer t0ken",
      "content-type": "text/plain",
    });
  });

  it("at most the records of batch_max_size and a mebibyte, in order", async () => {
    sink = openSink({ uri: uri(), records: 400 });
    await sink.send(numbered(0, 1_000));
    expect(store.texts.map((text) => numbers([text]).length)).toEqual([400, 400, 200]);
    await sink.send(numbered(1_000, 5, "x".repeat(500_000)));
    expect(store.texts.slice(3).map((text) => numbers([text]).length)).toEqual([2, 2, 1]);
    expect(numbers(store.texts)).toEqual(upTo(1_005));
  });

  it("one connection for many batches", async () => {
    sink = openSink({ uri: uri() });
    for (let n = 0; n < 20; n++) await sink.send(numbered(n, 1));
    expect(numbers(store.texts)).toEqual(upTo(20));
    expect(store.connections).toBe(1);
  });
});

describe("an answer that another try may mend", () => {
  it.each([408, 425, 429, 500, 502, 503, 504])("%d: the request is sent again", async (status) => {
    store.next.push(answers(status));
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 2));
    expect(numbers(store.texts)).toEqual([0, 1, 0, 1]);
  });

  it("is waited for as long as Retry-After says, in seconds or as a date", async () => {
    sink = openSink({ uri: uri() });
    store.next.push(answers(429, "", { "Retry-After": "1" }));
    const before = performance.now();
    await sink.send(numbered(0, 1));
    expect(performance.now() - before).toBeGreaterThan(950);
    // It has whole seconds, and some of its time is over when the answer comes: the date counts, not the time until then.
    const date = new Date(Date.now() + 3_000).toUTCString();
    store.next.push(answers(429, "", { "Retry-After": date }));
    await sink.send(numbered(0, 1));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date) - 10);
    expect(store.requests).toHaveLength(4);
  });

  it("does not wait for a Retry-After that is none", async () => {
    store.next.push(answers(503, "", { "Retry-After": "900 apples" }));
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(store.requests).toHaveLength(2);
  });

  it("is no answer for long: after five tries the batch fails, and nothing of it is refused", async () => {
    store.usual = answers(503, "no shards\n today");
    sink = openSink({ uri: uri() });
    const error = await failure(sink.send(numbered(0, 3)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(error.message).toBe(`${uri()}: answered 503: no shards today`);
    expect(store.requests).toHaveLength(5);
  });

  it("leaves out of the next try what has arrived before it", async () => {
    store.next.push(answers(200));
    store.usual = answers(503);
    sink = openSink({ uri: uri(), records: 2 });
    const batch = numbered(0, 5);
    const error = await failure(sink.send(batch));
    expect(error.delivered).toBe(2);
    store.usual = answers(200);
    await sink.send(batch.slice(error.delivered));
    expect(numbers(store.texts.slice(-2))).toEqual([2, 3, 4]);
  });
});

describe("an answer that is final", () => {
  it.each([400, 409, 410, 415, 422, 451])(
    "%d: the records are refused for good, others go on",
    async (status) => {
      store.next.push(answers(status, '{"error":"no such field"}'));
      sink = openSink({ uri: uri(), records: 2 });
      const error = await failure(sink.send(numbered(0, 4)));
      expect(error).toMatchObject({ delivered: 4, refused: [0, 1] });
      expect(error.message).toBe(
        `${uri()}: 2 records refused: answered ${status}: {"error":"no such field"}`,
      );
      expect(numbers(store.texts)).toEqual(upTo(4));
    },
  );

  it.each([401, 403, 404, 405, 407])(
    "%d: is about the settings, so the batch waits for others and no record is refused",
    async (status) => {
      store.usual = answers(status);
      sink = openSink({ uri: uri() });
      const error = await failure(sink.send(numbered(0, 4)));
      expect(error).toMatchObject({ delivered: 0, refused: [] });
      expect(store.requests).toHaveLength(1);
    },
  );

  it.each([301, 302, 307, 308])("%d: is not followed, with its credentials", async (status) => {
    const other = await LogStore.start();
    store.usual = answers(status, "", { Location: `http://127.0.0.1:${other.port}/` });
    sink = openSink({ uri: uri(), headers: { Authorization: "secret:Bearer t0ken" } });
    const error = await failure(sink.send(numbered(0, 1)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(error.message).toContain(`answered ${status}; redirects are not followed`);
    expect(other.requests).toEqual([]);
    await other.kill();
  });

  it("413: halves go, until one record alone is too large; later batches are as small at once", async () => {
    store.usual = ({ body }, response) => void response.writeHead(body.length > 50_000 ? 413 : 204).end();
    sink = openSink({ uri: uri() });
    const batch = [...numbered(0, 100, "x".repeat(1_000)), ...numbered(100, 1, "x".repeat(60_000))];
    const error = await failure(sink.send(batch));
    expect(error).toMatchObject({ delivered: 101, refused: [100] });
    const taken = store.requests.filter(({ body }) => body.length <= 50_000).map(({ text }) => text);
    expect(numbers(taken)).toEqual(upTo(100));
    expect(sink.batchBytes).toBeLessThan(60_000);
    store.requests.length = 0;
    await sink.send(numbered(0, 100, "x".repeat(1_000)));
    expect(store.requests.every(({ body }) => body.length <= 50_000)).toBe(true);
  });
});

describe("secrets", () => {
  it("are in no message, however the server repeats them", async () => {
    const token = 'Bearer abc"def&ghi';
    const basic = Buffer.from("user:passw0rd").toString("base64");
    store.usual = answers(
      400,
      `you sent ${token}, ${JSON.stringify(token)}, ${encodeURIComponent('abc"def&ghi')}, ${basic}, passw0rd`,
    );
    sink = openSink({
      uri: uri("/in?key=t0psecret"),
      headers: { "X-Token": `secret:${token}`, Authorization: `secret:Basic ${basic}` },
    });
    const { message } = await failure(sink.send(numbered(0, 1)));
    for (const secret of ["abc", "def", "ghi", basic, "passw0rd", "t0psecret"])
      expect(message).not.toContain(secret);
    expect(message).toContain("you sent [redacted]");
  });

  it("that are not known here keep records from leaving, and the gateway says so once", async () => {
    const context = new SenderContext();
    sink = openSink({ uri: uri(), headers: { "X-Key": "${{UNSET}}" } }, context);
    const error = await failure(sink.send(numbered(0, 1)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(context.reports).toEqual([
      { event: "secret_not_known", fields: { reason: "the value of header X-Key is not known here" } },
    ]);
    expect(store.requests).toEqual([]);
  });

  it("that would end a header line are refused before anything is sent", async () => {
    sink = openSink({ uri: uri(), headers: { "X-Key": "secret:a\r\nX-Admin: 1" } });
    const { message } = await failure(sink.send(numbered(0, 1)));
    expect(message).toBe("the value of header X-Key cannot stand in a header");
    expect(store.requests).toEqual([]);
  });
});

describe("a hostile server", () => {
  it("that never answers is given up after the timeout, once", async () => {
    store.usual = () => {};
    sink = openSink({ uri: uri(), timeoutMs: 300 });
    const error = await failure(sink.send(numbered(0, 10)));
    expect(error).toMatchObject({ delivered: 0, refused: [], message: `${uri()}: no answer within 300 ms` });
    expect(store.requests).toHaveLength(1);
    expect(sink.batchBytes).toBe(524_288);
    store.usual = answers(200);
    await sink.send(numbered(0, 10));
    expect(sink.batchBytes).toBeUndefined();
  });

  it("that trickles its answer is given up too", async () => {
    store.usual = (_, response) => {
      response.writeHead(503);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    sink = openSink({ uri: uri(), timeoutMs: 300 });
    await failure(sink.send(numbered(0, 1)));
  });

  it("that answers with 10 MB costs what is read of them, and its status holds", async () => {
    let written = 0;
    store.usual = (_, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(65_536, "x");
      const more = () => {
        while (written < 10_485_760) {
          written += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    };
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    await sink.send(numbered(1, 1));
    expect(numbers(store.texts)).toEqual([0, 1]);
  });

  it("that closes in the middle of its answer has said its status", async () => {
    store.next.push((_, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half", () => response.destroy());
    });
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(store.requests).toHaveLength(1);
  });

  it("that closes before its answer gets the request again", async () => {
    store.next.push((_, response) => void response.destroy());
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(numbers(store.texts)).toEqual([0, 0]);
  });

  it("that speaks no HTTP is not believed", async () => {
    store.usual = (_, response) => void response.socket?.end("HTTP/9 0 nonsense\r\n\r\n");
    sink = openSink({ uri: uri() });
    expect(await failure(sink.send(numbered(0, 1)))).toMatchObject({ delivered: 0, refused: [] });
  });

  it("does not hold up the end of a worker", async () => {
    store.usual = () => {};
    sink = openSink({ uri: uri(), timeoutMs: 60_000 });
    const sending = failure(sink.send(numbered(0, 1)));
    await pause(100);
    await sink.close();
    expect(await sending).toMatchObject({ delivered: 0, refused: [] });
  });
});

describe("https", () => {
  const authority = issue({ names: ["Test authority"], authority: true });
  const server = issue({ names: ["localhost"], by: authority });
  const client = issue({ names: ["gateway"], by: authority });
  let secure: LogStore;
  beforeEach(async () => {
    secure = await LogStore.start({
      ...server,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
    });
  });
  afterEach(() => secure.kill());

  const pair = { cert: client.cert, key: `secret:${client.key}` };
  const address = () => `https://localhost:${secure.port}/in`;

  it("with the authority of one's own and a client's certificate", async () => {
    sink = openSink({ uri: address(), tls: { ca: authority.cert, ...pair } });
    await sink.send(numbered(0, 1));
    expect(secure.texts).toEqual(['[{"n":0}]']);
  });

  it("without the authority nothing leaves, unless ssl_verify is false", async () => {
    sink = openSink({ uri: address(), tls: pair });
    const { message } = await failure(sink.send(numbered(0, 1)));
    expect(message).toMatch(/certificate/);
    expect(secure.requests).toEqual([]);
    await sink.close();
    sink = openSink({ uri: address(), tls: pair, verify: false });
    await sink.send(numbered(0, 1));
    expect(secure.requests).toHaveLength(1);
  });

  it("without the client's certificate the server does not take it, and nothing is refused", async () => {
    sink = openSink({ uri: address(), tls: { ca: authority.cert } });
    expect(await failure(sink.send(numbered(0, 1)))).toMatchObject({ delivered: 0, refused: [] });
    expect(secure.requests).toEqual([]);
  });
});
