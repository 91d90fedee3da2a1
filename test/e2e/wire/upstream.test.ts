import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { chunked, fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { answering, GET, listening, OK, proxyTo, startGateway, startUpstream } from "./gateway.js";

const POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
/** A port that refuses connections. */
async function refusingPort(): Promise<number> {
  const upstream = await startUpstream(() => undefined);
  await upstream.stop();
  return upstream.port;
}

describe("upstream responses that are rejected with 502", () => {
  it.each([
    ["both lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok"],
    ["bare LF", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok\r\n\r\n"],
    ["folded field", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2\r\n\r\nok"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n"],
    [
      "101 without an Upgrade in the request",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n",
    ],
    ["head above 32 kB", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(33_000)}\r\n\r\n`],
    ["more than 256 fields", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(257)}\r\n`],
  ])("an upstream response with %s is rejected with 502", async (_, response) => {
    const gateway = await proxyTo(() => ({ writes: [response] }));
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.status).toBe(502);
    expect(got.body).toContain("<h1>502 Bad Gateway</h1>");
    expect(fieldValues(got.headers, "content-type")).toEqual(["text/html"]);
    expect(gateway.outcomes.at(-1)).toEqual({ failure: undefined });
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
  });

  it("a connection that the upstream closes before a response leads to a 502", async () => {
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 200 OK\r\nA: "], end: true }));
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
  });
});

describe("responses that break off after their head", () => {
  it.each([
    ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"],
    ["a bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nxyz"],
  ])("a response framed by %s that breaks off is cut for the client too", async (_, response) => {
    const gateway = await proxyTo(() => ({ writes: [response], end: true }));
    const client = await gateway.client();
    await client.send(GET);
    await expect(client.response("GET")).rejects.toThrow("ended early");
    expect(gateway.events.map(({ event }) => event)).toContain("upstream_broke_off");
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
  });
});

describe("responses that break off before their head is sent", () => {
  it.each([
    ["a malformed first chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"],
    ["a chunk size without digits", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n;a=b\r\n"],
  ])(
    "a response that is broken by %s at its start becomes a 502, and the connection stays usable",
    async (_, response) => {
      const gateway = await proxyTo(({ target }) => ({ writes: [target === "/" ? response : OK] }));
      const client = await gateway.client();
      await client.send(GET);
      expect((await client.response("GET")).status).toBe(502);
      expect(gateway.events.map(({ event }) => event)).toContain("upstream_broke_off");
      await client.send(GET.replace("/", "/next"));
      expect(await client.response("GET")).toMatchObject({ status: 200, body: "ok" });
    },
  );
});

describe("responses that come slowly", () => {
  it.each([
    ["length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "ok"],
    ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"],
    ["close", "HTTP/1.1 200 OK\r\n\r\n", "ok"],
  ])("a slow response's head is forwarded before its body, by %s", async (_, head, body) => {
    let upstreamEnd: Socket | undefined;
    const server = await listening((socket) => {
      upstreamEnd = socket;
      socket.write(head);
    });
    const gateway = await startGateway({ nodes: [server.port] });
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => client.socket.bytesRead).toBeGreaterThan(40);
    upstreamEnd?.end(body);
    expect((await client.response("GET")).body).toBe("ok");
  });
});

describe("interim responses", () => {
  const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n";

  it("interim responses are forwarded, except 100", async () => {
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 100 Continue\r\n\r\n", hints.repeat(7), OK] }));
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.interim).toHaveLength(7);
    expect(got.interim[0]?.headers).toEqual([["Link", "</a.css>"]]);
    expect(got.body).toBe("ok");
  });

  it("interim responses above 8 are dropped, and the final response passes", async () => {
    const heartbeats = Array.from({ length: 20 }, () => "HTTP/1.1 102 Processing\r\n\r\n");
    const gateway = await proxyTo(() => ({ writes: [...heartbeats, OK] }));
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.interim).toHaveLength(8);
    expect([got.status, got.body]).toEqual([200, "ok"]);
    await client.send(GET);
    expect((await client.response("GET")).interim).toHaveLength(8);
    expect(gateway.upstream.received).toHaveLength(1);
  });

  it("a final response passes behind 200,000 interim responses in one piece", async () => {
    const gateway = await proxyTo(() => ({ writes: [`${"HTTP/1.1 102 A\r\n\r\n".repeat(200_000)}${OK}`] }));
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe("ok");
  });

  it("interim responses are not sent to a client of HTTP/1.0", async () => {
    const gateway = await proxyTo(() => ({ writes: [hints, OK] }));
    const client = await gateway.client();
    await client.send("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
    expect((await client.response("GET")).interim).toEqual([]);
  });
});

describe("reuse of upstream connections", () => {
  async function connectionsAfterTwo(response: string, request = GET): Promise<number> {
    const gateway = await proxyTo(() => ({ writes: [response] }));
    const client = await gateway.client();
    for (let i = 0; i < 2; i++) {
      await client.send(request);
      await client.response(request.startsWith("HEAD") ? "HEAD" : "GET");
      await wait(20);
    }
    return gateway.upstream.received.length;
  }

  it.each([
    ["a response that ended at its length", OK, 1],
    [
      "a response that ended at its last chunk",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked("ok", 1)}`,
      1,
    ],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", 1],
    ["Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 2],
    ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 2],
    [
      "HTTP/1.0 with keep-alive",
      "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
      1,
    ],
    ["bytes behind the response", `${OK}x`, 2],
    ["a second response that nobody asked for", OK + OK, 2],
    ["a body behind 204", "HTTP/1.1 204 No Content\r\n\r\nbody", 2],
  ])("a second request after %s leads to %i upstream connections", async (_, response, count) => {
    expect(await connectionsAfterTwo(response)).toBe(count);
  });

  it("an idle upstream connection ends when bytes arrive on it", async () => {
    const server = await listening((socket, count) => {
      socket.write(OK);
      if (count === 1) setTimeout(() => socket.write(OK), 20);
    });
    const gateway = await startGateway({ nodes: [server.port] });
    const client = await gateway.client();
    for (let i = 0; i < 2; i++) {
      await client.send(GET);
      expect((await client.response("GET", { settle: 60 })).stray).toBe("");
    }
    expect(server.connections()).toBe(2);
  });

  it("an upstream connection ends if its response precedes the end of the request", async () => {
    const server = await listening((socket) => socket.write(OK));
    const gateway = await startGateway({ nodes: [server.port] });
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf.");
    expect((await client.response("POST")).body).toBe("ok");
    await client.send("half.", GET);
    expect((await client.response("GET")).body).toBe("ok");
    expect(server.connections()).toBe(2);
  });

  it("an upstream connection serves no more than keepalive.requests", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      table: { keepalive: { size: 8, idleTimeout: 60, requests: 2 } },
    });
    const client = await gateway.client();
    for (let i = 0; i < 4; i++) {
      await client.send(GET);
      await client.response("GET");
    }
    expect(gateway.upstream.received).toHaveLength(2);
  });

  it("an idle upstream connection ends after the idle timeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      table: { keepalive: { size: 8, idleTimeout: 5, requests: 100 } },
      clock,
    });
    const client = await gateway.client();
    for (const [idleMs, connections] of [
      [0, 1],
      [5_000, 1],
      [5_001, 2],
    ] as const) {
      await clock.advance(idleMs);
      await client.send(GET);
      await client.response("GET");
      expect(gateway.upstream.received).toHaveLength(connections);
    }
  });

  it("an upstream keeps no more idle connections than configured", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      table: { keepalive: { size: 1, idleTimeout: 60, requests: 100 } },
    });
    const clients = await Promise.all([gateway.client(), gateway.client(), gateway.client()]);
    for (let round = 0; round < 2; round++) {
      await Promise.all(clients.map((client) => client.send(GET)));
      await Promise.all(clients.map((client) => client.response("GET")));
      await wait(20);
    }
    expect(gateway.upstream.received.length).toBeGreaterThan(3);
  });
});

describe("an idle connection that the upstream has closed meanwhile", () => {
  /**
   * Responds once on each connection and ends it at the second request, like a server with a short idle
   * timeout.
   */
  async function closingOnSecond() {
    const upstream = await startUpstream(() => ({ writes: [OK] }));
    let requests = 0;
    upstream.respond = () => (requests++ === 1 ? { writes: [], end: true } : { writes: [OK] });
    return upstream;
  }

  it("a GET on a connection that the upstream has closed is sent on a new connection", async () => {
    const upstream = await closingOnSecond();
    const gateway = await startGateway({ nodes: [upstream.port] });
    const client = await gateway.client();
    for (let i = 0; i < 2; i++) {
      await client.send(GET);
      expect((await client.response("GET")).status).toBe(200);
    }
    expect(upstream.received).toHaveLength(2);
    expect(gateway.nodes[0]?.active).toBe(0);
    expect(gateway.outcomes.every((outcome) => "ms" in outcome)).toBe(true);
  });

  it("a POST with a body on a connection that the upstream has closed fails with 502", async () => {
    const upstream = await closingOnSecond();
    const gateway = await startGateway({ nodes: [upstream.port] });
    const client = await gateway.client();
    await client.send(POST);
    expect((await client.response("POST")).status).toBe(200);
    await client.send(POST);
    expect((await client.response("POST")).status).toBe(502);
    expect(upstream.requests).toHaveLength(2);
  });
});

describe("attempts", () => {
  it("a request with a body goes to the next node if the first one refuses the connection", async () => {
    const upstream = await answering(OK);
    const gateway = await startGateway({ nodes: [await refusingPort(), upstream.port] });
    const client = await gateway.client();
    await client.send(POST);
    expect((await client.response("POST")).status).toBe(200);
    expect(upstream.requests[0]?.body).toBe("body");
    expect(gateway.outcomes[0]).toEqual({ failure: "tcpFailures" });
    expect(gateway.nodes.map(({ active }) => active)).toEqual([0, 0]);
  });

  it("a request fails with 502 if all nodes refuse", async () => {
    const gateway = await startGateway({ nodes: [await refusingPort(), await refusingPort()] });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
    expect(gateway.outcomes).toHaveLength(2);
  });

  it("a request is tried on no more nodes than retries allow", async () => {
    const good = await answering(OK);
    const gateway = await startGateway({ nodes: [await refusingPort(), good.port], table: { retries: 0 } });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(502);
  });

  it("a request fails with 503 without a node, and without an upstream", async () => {
    for (const gateway of [await startGateway({ nodes: [] }), await startGateway({ noUpstream: true })]) {
      const client = await gateway.client();
      await client.send(GET);
      const got = await client.response("GET");
      expect(got.status).toBe(503);
      expect(got.body).toContain("503 Service Unavailable");
    }
  });

  it("a request fails with 502 if its node reads the body and closes: the body is not sent twice", async () => {
    const taking = await startUpstream(() => ({ writes: [], end: true }));
    const other = await answering(OK);
    const gateway = await startGateway({ nodes: [taking.port, other.port] });
    const client = await gateway.client();
    await client.send(POST);
    expect((await client.response("POST")).status).toBe(502);
    expect(other.requests).toHaveLength(0);
  });

  it("a 500 of the upstream is not retried", async () => {
    const failing = await answering("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
    const other = await answering(OK);
    const gateway = await startGateway({ nodes: [failing.port, other.port] });
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.startLine).toBe("HTTP/1.1 500 Oops");
    expect(fieldValues(got.headers, "x-gw-upstream-status")).toEqual(["500"]);
  });

  it("a GET that timed out is sent to the next node", async () => {
    const silent = await startUpstream(() => undefined);
    const other = await answering(OK);
    const clock = new DeadlineClock();
    const gateway = await startGateway({ nodes: [silent.port, other.port], clock });
    const client = await gateway.client();
    await client.send(GET);
    expect((await clock.advanceUntil(client.response("GET"))).status).toBe(200);
    expect(gateway.outcomes[0]).toEqual({ failure: "timeouts" });
  });

  it("a request is not retried after the retry timeout", async () => {
    const silent = await startUpstream(() => undefined);
    const other = await answering(OK);
    const clock = new DeadlineClock();
    // A nanosecond: an attempt takes longer on any machine.
    const table = { retryTimeout: 1e-9 };
    const gateway = await startGateway({ nodes: [silent.port, other.port], table, clock });
    const client = await gateway.client();
    await client.send(GET);
    expect((await clock.advanceUntil(client.response("GET"))).status).toBe(504);
  });
});
