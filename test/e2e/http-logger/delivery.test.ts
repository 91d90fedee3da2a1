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

describe("a request of the http-logger", () => {
  it("the json format sends an array with POST, a content type and a length", async () => {
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

  it("the json format with batch_max_size 1 sends each record as an object over one connection", async () => {
    sink = openSink({ uri: uri(), records: 1 });
    await sink.send(numbered(0, 3));
    expect(store.texts).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
    expect(store.connections).toBe(1);
  });

  it("the ndjson format sends one record a line, each with a line end", async () => {
    sink = openSink({ uri: uri(), format: "ndjson", method: "PUT" });
    await sink.send(numbered(0, 2));
    expect(store.texts).toEqual(['{"n":0}\n{"n":1}\n']);
    expect(store.requests[0]).toMatchObject({
      method: "PUT",
      headers: { "content-type": "application/x-ndjson" },
    });
  });

  it.each(["gzip", "zstd"] as const)(
    "a body with compression %s is coded and shorter than its records",
    async (compression) => {
      sink = openSink({ uri: uri(), compression });
      await sink.send(numbered(0, 100, "x".repeat(100)));
      expect(store.requests[0]?.headers["content-encoding"]).toBe(compression);
      expect(numbers(store.texts)).toEqual(upTo(100));
      expect(store.requests[0]?.body.length).toBeLessThan(2_000);
    },
  );

  it("headers are sent with the values of their secrets, Content-Type included", async () => {
    const headers = { Authorization: "secret:Bearer t0ken", "Content-Type": "secret:text/plain" };
    sink = openSink({ uri: uri(), headers });
    await sink.send(numbered(0, 1));
    expect(store.requests[0]?.headers).toMatchObject({
      authorization: "Bearer t0ken",
      "content-type": "text/plain",
    });
  });

  it("a request holds at most batch_max_size records and 1 MiB, in order", async () => {
    sink = openSink({ uri: uri(), records: 400 });
    await sink.send(numbered(0, 1_000));
    expect(store.texts.map((text) => numbers([text]).length)).toEqual([400, 400, 200]);
    await sink.send(numbered(1_000, 5, "x".repeat(500_000)));
    expect(store.texts.slice(3).map((text) => numbers([text]).length)).toEqual([2, 2, 1]);
    expect(numbers(store.texts)).toEqual(upTo(1_005));
  });

  it("the http-logger sends 20 batches over one connection", async () => {
    sink = openSink({ uri: uri() });
    for (let n = 0; n < 20; n++) await sink.send(numbered(n, 1));
    expect(numbers(store.texts)).toEqual(upTo(20));
    expect(store.connections).toBe(1);
  });
});

describe("a response that allows a retry", () => {
  it.each([408, 425, 429, 500, 502, 503, 504])(
    "a batch is sent again after the status %d",
    async (status) => {
      store.next.push(answers(status));
      sink = openSink({ uri: uri() });
      await sink.send(numbered(0, 2));
      expect(numbers(store.texts)).toEqual([0, 1, 0, 1]);
    },
  );

  it("a retry waits for Retry-After, in seconds or as a date", async () => {
    sink = openSink({ uri: uri() });
    store.next.push(answers(429, "", { "Retry-After": "1" }));
    const before = performance.now();
    await sink.send(numbered(0, 1));
    expect(performance.now() - before).toBeGreaterThan(950);
    // An HTTP date has whole seconds, part of which is over when the response arrives: the date counts, not
    // the time until then.
    const date = new Date(Date.now() + 3_000).toUTCString();
    store.next.push(answers(429, "", { "Retry-After": date }));
    await sink.send(numbered(0, 1));
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date) - 10);
    expect(store.requests).toHaveLength(4);
  });

  it("an invalid Retry-After does not delay a retry", async () => {
    store.next.push(answers(503, "", { "Retry-After": "900 apples" }));
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(store.requests).toHaveLength(2);
  });

  it("a batch fails after five delivery attempts, and no record of it is refused", async () => {
    store.usual = answers(503, "no shards\n today");
    sink = openSink({ uri: uri() });
    const error = await failure(sink.send(numbered(0, 3)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(error.message).toBe(`${uri()}: responded with 503: no shards today`);
    expect(store.requests).toHaveLength(5);
  });

  it("the next delivery omits requests that have already been accepted", async () => {
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

describe("a final response", () => {
  it.each([400, 409, 410, 415, 422, 451])(
    "the status %d refuses the records of its request for good, and later ones are delivered",
    async (status) => {
      store.next.push(answers(status, '{"error":"no such field"}'));
      sink = openSink({ uri: uri(), records: 2 });
      const error = await failure(sink.send(numbered(0, 4)));
      expect(error).toMatchObject({ delivered: 4, refused: [0, 1] });
      expect(error.message).toBe(
        `${uri()}: 2 records rejected: responded with ${status}: {"error":"no such field"}`,
      );
      expect(numbers(store.texts)).toEqual(upTo(4));
    },
  );

  it.each([401, 403, 404, 405, 407])("the status %d refuses no record and is not retried", async (status) => {
    store.usual = answers(status);
    sink = openSink({ uri: uri() });
    const error = await failure(sink.send(numbered(0, 4)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(store.requests).toHaveLength(1);
  });

  it.each([301, 302, 307, 308])(
    "the redirect %d is not followed, so that its target receives no credentials",
    async (status) => {
      const other = await LogStore.start();
      store.usual = answers(status, "", { Location: `http://127.0.0.1:${other.port}/` });
      sink = openSink({ uri: uri(), headers: { Authorization: "secret:Bearer t0ken" } });
      const error = await failure(sink.send(numbered(0, 1)));
      expect(error).toMatchObject({ delivered: 0, refused: [] });
      expect(error.message).toContain(`responded with ${status}; redirects are not followed`);
      expect(other.requests).toEqual([]);
      await other.kill();
    },
  );

  it("a 413 splits the batch down to single records, and later batches start with the smaller size", async () => {
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
  it("no error message holds a secret, in any encoding in which the server repeats it", async () => {
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

  it("no record is sent without its secret, and one event names the header", async () => {
    const context = new SenderContext();
    sink = openSink({ uri: uri(), headers: { "X-Key": "${{UNSET}}" } }, context);
    const error = await failure(sink.send(numbered(0, 1)));
    expect(error).toMatchObject({ delivered: 0, refused: [] });
    expect(context.reports).toEqual([
      { event: "secret_not_known", fields: { reason: "the value of header X-Key is unknown" } },
    ]);
    expect(store.requests).toEqual([]);
  });

  it("a header value with a line break is refused before a record is sent", async () => {
    sink = openSink({ uri: uri(), headers: { "X-Key": "secret:a\r\nX-Admin: 1" } });
    const { message } = await failure(sink.send(numbered(0, 1)));
    expect(message).toBe("the value of header X-Key contains characters that a header cannot contain");
    expect(store.requests).toEqual([]);
  });
});

describe("a hostile or faulty server", () => {
  it("a request without a response fails after the timeout and is not sent again", async () => {
    store.usual = () => {};
    sink = openSink({ uri: uri(), timeoutMs: 300 });
    const error = await failure(sink.send(numbered(0, 10)));
    expect(error).toMatchObject({
      delivered: 0,
      refused: [],
      message: `${uri()}: no response within 300 ms`,
    });
    expect(store.requests).toHaveLength(1);
    expect(sink.batchBytes).toBe(524_288);
    store.usual = answers(200);
    await sink.send(numbered(0, 10));
    expect(sink.batchBytes).toBeUndefined();
  });

  it("a request whose response trickles fails after the timeout", async () => {
    store.usual = (_, response) => {
      response.writeHead(503);
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    };
    sink = openSink({ uri: uri(), timeoutMs: 300 });
    await failure(sink.send(numbered(0, 1)));
  });

  it("a response of 40 MB is accepted by its status, and only its beginning is read", async () => {
    const finished: boolean[] = [];
    store.usual = (_, response) => {
      let written = 0;
      response.on("close", () => finished.push(response.writableFinished));
      response.writeHead(200);
      const piece = Buffer.alloc(65_536, "x");
      const more = () => {
        // More than the kernel's buffers of both ends.
        while (written < 41_943_040) {
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
    await expect.poll(() => finished).toEqual([false, false]);
  });

  it("a response that is cut after its head counts by its status", async () => {
    store.next.push((_, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write("half", () => response.destroy());
    });
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(store.requests).toHaveLength(1);
  });

  it("a request whose connection closes before the response is sent again", async () => {
    store.next.push((_, response) => void response.destroy());
    sink = openSink({ uri: uri() });
    await sink.send(numbered(0, 1));
    expect(numbers(store.texts)).toEqual([0, 0]);
  });

  it("a response that is no HTTP fails the batch and refuses no record", async () => {
    store.usual = (_, response) => void response.socket?.end("HTTP/9 0 nonsense\r\n\r\n");
    sink = openSink({ uri: uri() });
    expect(await failure(sink.send(numbered(0, 1)))).toMatchObject({ delivered: 0, refused: [] });
  });

  it("closing the sink ends a request that waits for its response", async () => {
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

  it("the http-logger delivers over https with its own authority and a client certificate", async () => {
    sink = openSink({ uri: address(), tls: { ca: authority.cert, ...pair } });
    await sink.send(numbered(0, 1));
    expect(secure.texts).toEqual(['[{"n":0}]']);
  });

  it("no record is sent to a server with an unknown authority unless ssl_verify is false", async () => {
    sink = openSink({ uri: address(), tls: pair });
    const { message } = await failure(sink.send(numbered(0, 1)));
    expect(message).toMatch(/certificate/);
    expect(secure.requests).toEqual([]);
    await sink.close();
    sink = openSink({ uri: address(), tls: pair, verify: false });
    await sink.send(numbered(0, 1));
    expect(secure.requests).toHaveLength(1);
  });

  it("a batch fails if the server requires a client certificate, and no record is refused", async () => {
    sink = openSink({ uri: address(), tls: { ca: authority.cert } });
    expect(await failure(sink.send(numbered(0, 1)))).toMatchObject({ delivered: 0, refused: [] });
    expect(secure.requests).toEqual([]);
  });
});
