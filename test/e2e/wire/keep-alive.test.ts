import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { chunked, fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { GET, OK, proxyTo, startGateway } from "./gateway.js";

const numbered = (target: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`;

describe("client connections", () => {
  it("a connection serves requests one after the other", async () => {
    const gateway = await proxyTo(({ target }) => ({ writes: [numbered(target)] }));
    const client = await gateway.client();
    for (const target of ["/1", "/22", "/333"]) {
      await client.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await client.response("GET")).body).toBe(target);
    }
    expect(gateway.server.stats()).toMatchObject({ connections: 1, requests: 3, inFlight: 0 });
    expect(gateway.upstream.received).toHaveLength(1);
  });

  it("a connection serves pipelined requests in order, although the upstream is faster with later ones", async () => {
    const gateway = await proxyTo(() => undefined);
    gateway.upstream.respond = ({ target }) => ({
      writes:
        target === "/slow"
          ? ["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n\r\n", "/", "slow"]
          : [numbered(target)],
    });
    const client = await gateway.client();
    const targets = ["/slow", "/b", "/c", "/d"];
    await client.send(
      targets.map((target) => `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`).join(""),
    );
    for (const target of targets) expect((await client.response("POST")).body).toBe(target);
    expect(gateway.upstream.requests.map(({ body }) => body)).toEqual(["abc", "abc", "abc", "abc"]);
  });

  it("a connection serves 100 requests in one write, and 8 that arrive byte by byte", async () => {
    const gateway = await proxyTo(({ target }) => ({ writes: [numbered(target)] }));
    const one = (i: number) =>
      i % 2 === 0
        ? `GET /${i} HTTP/1.1\r\nHost: a\r\n\r\n`
        : `POST /${i} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunked("body", 1)}`;
    const whole = Array.from({ length: 100 }, (_, i) => one(i)).join("");
    const atOnce = await gateway.client();
    await atOnce.send(whole);
    for (let i = 0; i < 100; i++) expect((await atOnce.response("GET")).body).toBe(`/${i}`);
    const byBytes = await gateway.client();
    await byBytes.send(...whole.slice(0, 600));
    for (let i = 0; i < 8; i++) expect((await byBytes.response("GET")).body).toBe(`/${i}`);
  });

  it("a connection closes after a request with Connection: close, and the response has that header", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const got = await client.response("GET", { end: true });
    expect(fieldValues(got.headers, "connection")).toEqual(["close"]);
    expect(got.closed).toBe(true);
  });

  it("a connection of HTTP/1.0 stays open if the client asks for keep-alive", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    for (let i = 0; i < 2; i++) {
      await client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      const got = await client.response("GET");
      expect(fieldValues(got.headers, "connection")).toEqual(["keep-alive"]);
    }
  });

  it("bytes behind a request with Connection: close are rejected with 400", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${GET}`);
    const got = await client.response("GET", { end: true });
    expect(got).toMatchObject({ status: 400, closed: true, stray: "" });
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  it("a connection accepts line ends before a request line and behind the last body", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(`\r\n${GET}`);
    expect((await client.response("GET")).status).toBe(200);
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\na\r\n");
    expect((await client.response("POST")).status).toBe(200);
  });

  it("a client that has half-closed its connection receives the responses", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    client.socket.end(GET + GET);
    expect((await client.response("GET")).body).toBe("ok");
    expect((await client.response("GET", { end: true })).closed).toBe(true);
  });

  it("a connection is released if the client disconnects in the middle of a head, a body or a response", async () => {
    const gateway = await proxyTo(() => undefined);
    for (const text of ["GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", GET]) {
      const client = await gateway.client();
      await client.send(text);
      await wait(20);
      client.socket.resetAndDestroy();
    }
    await expect.poll(() => gateway.server.stats()).toMatchObject({ connections: 0, inFlight: 0 });
    expect(gateway.nodes[0]?.active).toBe(0);
  });
});

describe("an access phase that waits", () => {
  it("a request is not sent to the upstream if its client disconnects during the access phase", async () => {
    let release: () => void = () => {};
    const logged: number[] = [];
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      module: {
        access: () =>
          new Promise((resolve) => {
            release = resolve;
          }),
        log: (x) => void logged.push(x.response.status),
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => gateway.server.stats().connections).toBe(0);
    release();
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
    expect(gateway.upstream.requests).toHaveLength(0);
    expect(logged).toEqual([499]);
  });
});

describe("the log phase", () => {
  it("the log phase reads the lengths of request and response and the upstream's status", async () => {
    const lengths: unknown[] = [];
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      module: {
        log: (x) =>
          void lengths.push(
            ["request_length", "body_bytes_sent", "upstream_status"].map((name) => x.variable(name)),
          ),
      },
    });
    const client = await gateway.client();
    const head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n";
    await client.send(`${head}body`);
    await client.response("POST");
    expect(lengths).toEqual([[head.length + 4, 2, "200"]]);
  });
});

describe("unread request bodies", () => {
  it("a short unread request body is dropped, and the connection stays open", async () => {
    const gateway = await startGateway({ noRoute: true });
    const client = await gateway.client();
    await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n${"x".repeat(400)}`);
    const got = await client.response("POST");
    expect(got.status).toBe(404);
    expect(fieldValues(got.headers, "connection")).toEqual([]);
    await client.send("x".repeat(600), GET);
    expect((await client.response("GET")).status).toBe(404);
  });

  it("a connection closes if an unread body is long or of unknown length, and the response announces it", async () => {
    const gateway = await startGateway({ noRoute: true });
    for (const framing of ["Content-Length: 100000", "Transfer-Encoding: chunked"]) {
      const client = await gateway.client();
      await client.send(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
      const got = await client.response("POST", { end: true });
      expect(fieldValues(got.headers, "connection")).toEqual(["close"]);
      expect(got.closed).toBe(true);
    }
  });
});

describe("Expect: 100-continue", () => {
  const head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";

  it("the gateway sends 100 Continue before the body arrives, and does not forward Expect", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(head);
    await wait(30);
    await client.send("body");
    const got = await client.response("POST");
    expect(got.interim.map(({ startLine }) => startLine)).toEqual(["HTTP/1.1 100 Continue"]);
    expect(got.status).toBe(200);
    expect(gateway.upstream.requests[0]?.body).toBe("body");
    expect(fieldValues(gateway.upstream.requests[0]?.headers ?? [], "expect")).toEqual([]);
  });

  it("the gateway sends no 100 Continue if the body has already arrived", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(`${head}body`);
    expect((await client.response("POST")).interim).toEqual([]);
  });

  it("a request with Expect receives the final response at once if no route matches", async () => {
    const gateway = await startGateway({ noRoute: true });
    const client = await gateway.client();
    await client.send(head);
    const got = await client.response("POST", { end: true });
    expect(got).toMatchObject({ status: 404, interim: [], closed: true });
  });

  it("Expect: 100-continue has no effect in HTTP/1.0", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }));
    const client = await gateway.client();
    await client.send(head.replace("HTTP/1.1", "HTTP/1.0"), "body");
    expect(await client.response("POST")).toMatchObject({ status: 200, interim: [] });
  });
});

describe("a server that stops", () => {
  it("a stopping server finishes exchanges in flight with Connection: close and closes idle connections", async () => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const gateway = await proxyTo(() => ({ writes: [OK] }), { module: { access: () => released } });
    const idle = await gateway.client();
    const busy = await gateway.client();
    await busy.send(GET);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(1);
    const closed = gateway.server.close(60_000);
    await expect.poll(() => idle.socket.readableEnded).toBe(true);
    release();
    const got = await busy.response("GET", { end: true });
    expect(fieldValues(got.headers, "connection")).toEqual(["close"]);
    expect(got).toMatchObject({ status: 200, closed: true });
    for (const client of [idle, busy]) client.close();
    await closed;
    expect(gateway.server.stats()).toMatchObject({ connections: 0, inFlight: 0 });
  });

  it("a stopping server cuts exchanges that are unfinished at the deadline", async () => {
    const gateway = await proxyTo(() => undefined);
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(1);
    await gateway.server.close(100);
    await expect(client.response("GET")).rejects.toThrow("ended early");
  });
});
