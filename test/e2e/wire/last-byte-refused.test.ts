import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { until } from "../../support/patience.js";
import { GET, listening, OK, proxyTo, startGateway } from "./gateway.js";
import { answer, collect, holding, MOMENT, own, stepping } from "./holding.js";

describe("a response whose record could not be stored", () => {
  it("a response becomes a 503 if its record is not stored, without a second acknowledge phase", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    (await turn()).refuse(new Error("disk full"));
    const got = await client.response("GET");
    expect(got).toMatchObject({ status: 503, stray: "" });
    expect(got.body).toContain("503 Service Unavailable");
    expect(seen.map(({ phase, status }) => [phase, status])).toEqual([
      ["acknowledge", 200],
      ["log", 503],
    ]);
    expect(gateway.events).toEqual([{ event: "not_acknowledged", reason: new Error("disk full") }]);
    await client.send(GET);
    (await turn(1)).release();
    expect((await client.response("GET")).body).toBe("ok");
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
  ])(
    "a response without a body becomes a 503 if its record is not stored: %s, %s",
    async (method, response) => {
      const { settings, turn } = holding();
      const gateway = await proxyTo(answer(response), settings);
      const client = await gateway.client();
      await client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      (await turn()).refuse(new Error("disk full"));
      expect(await client.response(method)).toMatchObject({ status: 503, stray: "" });
    },
  );

  it("a local reply becomes a 503 if its record is not stored", async () => {
    const { module, turn } = holding(own(200, "hello"));
    const gateway = await startGateway({ module });
    const client = await gateway.client();
    await client.send(GET);
    (await turn()).refuse(new Error("disk full"));
    expect((await client.response("GET")).status).toBe(503);
  });

  it.each([
    ["of known length", ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", "def"]],
    ["chunked", ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "0\r\n\r\n"]],
  ])("a response in flight is cut if its record is not stored: %s", async (_, writes) => {
    const { settings, turn, seen } = holding();
    const { client, received } = await stepping(writes, settings);
    (await turn()).refuse(new Error("disk full"));
    await expect(client.response("GET")).rejects.toThrow("ended early");
    expect(seen.at(-1)).toMatchObject({ phase: "log", status: 200, bytesSent: received().length });
  });

  it("a response that ends with its connection is reset if its record is not stored", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(
      () => ({ writes: ["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"], end: true }),
      settings,
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    const errors: string[] = [];
    client.socket.on("error", (error: NodeJS.ErrnoException) => errors.push(error.code ?? ""));
    await client.send("GET / HTTP/1.0\r\n\r\n");
    const { refuse } = await turn();
    await expect.poll(received).toMatch(/abc$/);
    refuse(new Error("disk full"));
    await expect.poll(() => errors).toEqual(["ECONNRESET"]);
  });
});

describe("a response whose end is delayed", () => {
  it("a client that disconnects during the delay ends the exchange once, as 499", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    client.socket.resetAndDestroy();
    await expect.poll(() => seen.length).toBe(2);
    expect(seen[1]).toMatchObject({ phase: "log", status: 499, bytesSent: 0 });
    release();
    await wait(MOMENT);
    expect(seen).toHaveLength(2);
    expect(gateway.server.stats()).toMatchObject({ connections: 0, inFlight: 0 });
    expect(gateway.nodes[0]?.active).toBe(0);
  });

  it("a record that fails after the client disconnected has no effect", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { refuse } = await turn();
    client.socket.resetAndDestroy();
    await expect.poll(() => seen.length).toBe(2);
    refuse(new Error("disk full"));
    await wait(MOMENT);
    expect(seen).toHaveLength(2);
    expect(gateway.events).toEqual([]);
  });

  it("a client that half-closes its connection during the delay receives the response", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    client.socket.end();
    await wait(MOMENT);
    release();
    expect(await client.response("GET", { end: true })).toMatchObject({ body: "ok", closed: true });
  });

  it("an upstream that closes during the delay does not affect the response", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    await gateway.upstream.stop();
    await wait(MOMENT);
    release();
    expect((await client.response("GET")).body).toBe("ok");
    expect(gateway.events).toEqual([]);
  });

  it("an upstream that breaks off a replaced body during the delay does not affect the response", async () => {
    const { settings, turn, seen } = holding({ headerFilter: (x) => x.response.replaceBody("new") });
    const upstream = await listening((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
      setTimeout(() => socket.destroy(), 20);
    });
    const gateway = await startGateway({ nodes: [upstream.port], ...settings });
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    await expect.poll(() => gateway.events.map(({ event }) => event)).toEqual(["upstream_broke_off"]);
    release();
    expect(await client.response("GET")).toMatchObject({ status: 200, body: "new" });
    expect(seen.map(({ phase }) => phase)).toEqual(["acknowledge", "log"]);
  });

  it("the rest of an unread request body arrives during the delay, and the connection stays usable", async () => {
    const { module, turn } = holding(own(403, "no"));
    const gateway = await startGateway({ module });
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
    const { release } = await turn();
    await client.send("worl", `d${GET}`);
    await wait(MOMENT);
    release();
    expect((await client.response("POST")).status).toBe(403);
    (await turn(1)).release();
    expect((await client.response("GET")).status).toBe(403);
  });

  it("a request body that stops arriving during the delay ends the exchange as 499", async () => {
    const { module, turn, seen } = holding(own(403, "no"));
    const clock = new DeadlineClock();
    const owner = {};
    const rewrite = (x: Exchange) => x.captureRequest(owner, 5);
    const gateway = await startGateway({ module: { ...module, rewrite }, clock });
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello");
    await turn();
    await expect(clock.advanceUntil(client.response("POST"))).rejects.toThrow("ended early");
    expect(seen.at(-1)).toMatchObject({ phase: "log", status: 499, bytesSent: 0 });
  });

  it("a pipelined request behind one that becomes a 503 is served", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET + GET);
    (await turn(0)).refuse(new Error("disk full"));
    (await turn(1)).release();
    expect((await client.response("GET")).status).toBe(503);
    expect((await client.response("GET")).status).toBe(200);
  });

  it("a connection with Connection: close is closed only after the delayed response", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const { release } = await turn();
    await wait(MOMENT);
    release();
    expect(await client.response("GET", { end: true })).toMatchObject({ body: "ok", closed: true });
  });

  it("a client that reads nothing of a long delayed response ends the exchange by its timeout", async () => {
    const { settings, turn, seen } = holding();
    const clock = new DeadlineClock();
    const size = 30_000_000;
    const gateway = await proxyTo(
      answer(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`, "x".repeat(size)),
      { ...settings, clock },
    );
    const client = await gateway.client();
    client.socket.pause();
    await client.send(GET);
    void turn().catch(() => {});
    await until(async () => {
      await clock.advance(5_000);
      return seen.at(-1)?.phase === "log";
    });
    expect(seen.at(-1)?.bytesSent).toBeLessThan(size);
    expect(gateway.server.stats()).toMatchObject({ inFlight: 0, connections: 0 });
  });

  it("the request of a delayed response ends, for its generation, only after the release", async () => {
    const { settings, turn } = holding();
    let ended = 0;
    const onRequestEnd = () => void ended++;
    const gateway = await proxyTo(answer(OK), { ...settings, options: { onRequestEnd } });
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    expect(ended).toBe(0);
    release();
    await client.response("GET");
    await expect.poll(() => ended).toBe(1);
  });

  it("a stopping server waits for a delayed response", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    const closed = gateway.server.close(5_000);
    await wait(MOMENT);
    release();
    expect((await client.response("GET")).body).toBe("ok");
    client.close();
    await closed;
    expect(gateway.server.stats().inFlight).toBe(0);
  });
});

describe("exchanges that the acknowledge phase cannot delay", () => {
  it("a response that the upstream broke off is acknowledged and cut", async () => {
    const { settings, seen } = holding();
    const gateway = await proxyTo(
      () => ({ writes: ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"], end: true }),
      settings,
    );
    const client = await gateway.client();
    await client.send(GET);
    await expect(client.response("GET")).rejects.toThrow("ended early");
    await expect.poll(() => seen.map(({ phase }) => phase)).toEqual(["acknowledge", "log"]);
  });

  it("a request is acknowledged as 499 if its client disconnects before the response", async () => {
    const { settings, seen } = holding();
    const gateway = await proxyTo(() => undefined, settings);
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.upstream.requests.length).toBe(1);
    client.socket.resetAndDestroy();
    await expect
      .poll(() => seen.map(({ phase, status }) => [phase, status]))
      .toEqual([
        ["acknowledge", 499],
        ["log", 499],
      ]);
  });

  it("a tunnel is acknowledged when it is over", async () => {
    const { settings, seen } = holding();
    const upstream = await listening((socket) => {
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nhello",
      );
    });
    const gateway = await startGateway({ nodes: [upstream.port], enableWebsocket: true, ...settings });
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await expect.poll(received).toMatch(/hello$/);
    expect(seen).toEqual([]);
    client.socket.resetAndDestroy();
    await expect
      .poll(() => seen.map(({ phase, status }) => [phase, status]))
      .toEqual([
        ["acknowledge", 101],
        ["log", 101],
      ]);
    expect(seen[1]?.bytesSent).toBe(received().length);
  });
});
