import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { listening, OK, proxyTo, startGateway } from "./gateway.js";
import { answer } from "./holding.js";
import { body, chunked, keeping, post } from "./keeping.js";

const MB = 1_048_576;

describe("captured request bodies", () => {
  it.each([
    ["of known length", post("hello")],
    ["chunked, without its framing", chunked("he", "llo")],
    ["as bytes", post("\x00\xff\x80"), "\x00\xff\x80"],
    ["that is empty", post(""), ""],
    ["that is absent", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""],
  ])("the gateway captures a request body %s", async (_, request, expected = "hello") => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(request);
    await client.response("POST");
    expect((await logged()).request).toEqual(body(expected));
    if (expected !== "") expect(gateway.upstream.requests[0]?.body).toBe(expected);
  });

  it("a captured request body names its content coding", async () => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const coded = gzipSync("hello").toString("latin1");
    await client.send(post(coded, "Content-Encoding: GZip\r\n"));
    await client.response("POST");
    expect((await logged()).request).toMatchObject(body(coded, coded.length, "gzip"));
  });

  it.each([
    ["64 kB", 65_536],
    ["10 MB", 10 * MB],
  ])("a request body of %s is captured up to 512 kB, and the upstream receives it whole", async (_, size) => {
    const { settings, logged } = keeping(524_288);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const sent = "0123456789abcdef".repeat(size / 16);
    await client.send(post(sent));
    await client.response("POST");
    const { request } = await logged();
    expect(request?.size).toBe(size);
    expect(request?.text === sent.slice(0, 524_288)).toBe(true);
    expect(gateway.upstream.requests[0]?.body === sent).toBe(true);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it("a body that arrives byte by byte in chunks is captured up to the limit, with its full size", async () => {
    const { settings, logged } = keeping(150);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const sent = "0123456789".repeat(30);
    await client.send(...chunked(...sent).split(/(?<=\n)/));
    await client.response("POST");
    expect((await logged()).request).toEqual(body(sent.slice(0, 150), 300));
  });

  it.each([
    ["refuses connections", async () => 1, 502],
    ["closes without an answer", async () => (await listening((socket) => socket.destroy())).port, 502],
    ["does not answer in time", async () => (await listening(() => {})).port, 504],
  ])("a request body is captured if the upstream %s", async (_, port, status) => {
    const { settings, logged } = keeping(100);
    const clock = new DeadlineClock();
    const gateway = await startGateway({ nodes: [await port()], clock, ...settings });
    const client = await gateway.client();
    await client.send(post("hello"));
    expect((await clock.advanceUntil(client.response("POST"))).status).toBe(status);
    expect(await logged()).toMatchObject({ request: body("hello"), status });
  });

  it.each([
    ["there is no upstream", { noUpstream: true }],
    ["no node is left", { nodes: [] }],
  ])("a request body is captured if %s", async (_, more) => {
    const { settings, logged } = keeping(100);
    const gateway = await startGateway({ ...settings, ...more });
    const client = await gateway.client();
    await client.send(post("hello"));
    expect((await client.response("POST")).status).toBe(503);
    expect((await logged()).request).toEqual(body("hello"));
  });

  it("capturing a body sends no 100 Continue to a client that a phase rejects", async () => {
    const { settings, logged } = keeping(100, { access: (x: Exchange) => x.respond(401, "no") });
    const gateway = await startGateway(settings);
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    expect(await client.response("POST")).toMatchObject({ status: 401, interim: [] });
    expect((await logged()).request).toEqual(body(""));
  });

  it("the captured request body of an aborted request holds the bytes that had arrived", async () => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
    await expect.poll(() => gateway.upstream.received[0] ?? "").toContain("hello");
    client.close();
    expect(await logged()).toMatchObject({ request: body("hello"), status: 499 });
  });

  it("the captured request body holds the valid bytes if its chunk framing is broken", async () => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n");
    expect((await client.response("POST")).status).toBe(400);
    expect(await logged()).toMatchObject({ request: body("hello"), status: 400 });
  });
});

describe("captured response bodies", () => {
  const get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  it.each([
    ["of known length", ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", "def"]],
    [
      "chunked, without its framing",
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "3\r\ndef\r\n0\r\n\r\n"],
    ],
  ])("the gateway captures a response body %s", async (_, writes) => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(...writes), settings);
    const client = await gateway.client();
    await client.send(get);
    expect((await client.response("GET")).body).toBe("abcdef");
    expect((await logged()).response).toEqual(body("abcdef"));
  });

  it("a coded response body is captured as the client receives it, with its coding", async () => {
    const { settings, logged } = keeping(100);
    const coded = gzipSync("hello").toString("latin1");
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nContent-Length: ${coded.length}\r\n\r\n`;
    const gateway = await proxyTo(answer(head + coded), settings);
    const client = await gateway.client();
    await client.send(get);
    await client.response("GET");
    expect((await logged()).response).toMatchObject(body(coded, coded.length, "gzip"));
  });

  it("a filtered response body is captured decoded and filtered", async () => {
    const filter = { apply: (text: string) => text.toUpperCase(), maxBytes: MB, oversize: "refuse" } as const;
    const { settings, logged } = keeping(100, { headerFilter: (x) => x.response.filterBody(filter) });
    const coded = gzipSync("hello").toString("latin1");
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${coded.length}\r\n\r\n`;
    const gateway = await proxyTo(answer(head + coded), settings);
    const client = await gateway.client();
    await client.send(get);
    expect((await client.response("GET")).body).toBe("HELLO");
    expect((await logged()).response).toEqual(body("HELLO"));
  });

  it("a response body above the limit of its filter is captured whole", async () => {
    const filter = { apply: (text: string) => text.toUpperCase(), maxBytes: 4, oversize: "pass" } as const;
    const { settings, logged } = keeping(100, { headerFilter: (x) => x.response.filterBody(filter) });
    const gateway = await proxyTo(answer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", "def"), settings);
    const client = await gateway.client();
    await client.send(get);
    expect((await client.response("GET")).body).toBe("abcdef");
    expect((await logged()).response).toEqual(body("abcdef"));
  });

  it("the captured response body is the body that replaced it", async () => {
    const { settings, logged } = keeping(2, { headerFilter: (x) => x.response.replaceBody("new") });
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(get);
    await client.response("GET");
    expect((await logged()).response).toEqual(body("ne", 3));
  });

  it("the body of a local reply is captured", async () => {
    const { settings, logged } = keeping(100, { access: (x: Exchange) => x.respond(403, "forbidden") });
    const gateway = await startGateway(settings);
    const client = await gateway.client();
    await client.send(get);
    await client.response("GET");
    expect(await logged()).toMatchObject({ response: body("forbidden"), status: 403 });
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Not Modified\r\n\r\n"],
  ])("the captured response body is empty if none is sent: %s, %s", async (method, response) => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(answer(response), settings);
    const client = await gateway.client();
    await client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.response(method);
    expect((await logged()).response).toEqual(body(""));
  });

  it("a response of 10 MB is captured up to 512 kB, and a slow client receives it whole", async () => {
    const { settings, logged } = keeping(524_288);
    const sent = "0123456789abcdef".repeat((10 * MB) / 16);
    const gateway = await proxyTo(
      answer(`HTTP/1.1 200 OK\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`),
      settings,
    );
    const client = await gateway.client();
    client.socket.pause();
    await client.send(get);
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(524_288);
    client.socket.resume();
    expect((await client.response("GET")).body === sent).toBe(true);
    const { response } = await logged();
    expect(response?.size).toBe(10 * MB);
    expect(response?.text === sent.slice(0, 524_288)).toBe(true);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it("the captured response body holds the bytes that were sent before the upstream closed early", async () => {
    const { settings, logged } = keeping(100);
    const gateway = await proxyTo(
      () => ({ writes: ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"], end: true }),
      settings,
    );
    const client = await gateway.client();
    await client.send(get);
    await expect(client.response("GET")).rejects.toThrow("ended early");
    expect((await logged()).response).toEqual(body("abc"));
  });

  it("the captured response body is that of the 503 which replaced an unacknowledged response", async () => {
    const { settings, logged } = keeping(5);
    const module = {
      ...settings.module,
      acknowledge: (x: Exchange) => x.delayEndOfResponse(Promise.reject(new Error("disk full"))),
    };
    const gateway = await proxyTo(answer(OK), { module });
    const client = await gateway.client();
    await client.send(get);
    const got = await client.response("GET");
    expect(await logged()).toMatchObject({ status: 503, response: body("<html", got.body.length) });
  });

  it("captured bodies leave room in bufferedBodyBytes for body filters", async () => {
    const filter = { apply: (text: string) => text.toUpperCase(), maxBytes: MB, oversize: "refuse" } as const;
    const { settings, logged } = keeping(1_000, { headerFilter: (x) => x.response.filterBody(filter) });
    const gateway = await proxyTo(answer("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n", "x".repeat(400)), {
      ...settings,
      options: { limits: { bufferedBodyBytes: 1_000 } },
    });
    const client = await gateway.client();
    await client.send(post("y".repeat(600)));
    expect((await client.response("POST")).body).toBe("X".repeat(400));
    expect((await logged()).request).toEqual(body("y".repeat(500), 600));
  });

  it("a captured body takes at most half of bufferedBodyBytes", async () => {
    const { settings, logged } = keeping(1_000);
    const gateway = await proxyTo(answer("HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n", "x".repeat(600)), {
      ...settings,
      options: { limits: { bufferedBodyBytes: 1_001 } },
    });
    const client = await gateway.client();
    await client.send(get);
    expect((await client.response("GET")).body).toHaveLength(600);
    expect((await logged()).response).toEqual(body("x".repeat(500), 600));
  });
});
