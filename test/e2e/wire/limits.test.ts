import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../../runtime/http/limits.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { until } from "../../support/patience.js";
import { GET, listening, OK, proxyTo, startGateway, startUpstream } from "./gateway.js";

/** Sends `text` to a gateway with these limits; the rejection closes the connection. */
async function refused(limits: Partial<Limits>, ...texts: string[]): Promise<number> {
  const gateway = await proxyTo(() => ({ writes: [OK] }), { options: { limits } });
  const client = await gateway.client();
  await client.send(...texts);
  const got = await client.response("GET", { end: true });
  expect(got.closed).toBe(true);
  expect(got.headers).toContainEqual(["Connection", "close"]);
  expect(gateway.upstream.requests).toHaveLength(0);
  return got.status;
}

describe("limits of requests", () => {
  it("a head above headerBytes is rejected with 431, complete or not", async () => {
    const long = `GET / HTTP/1.1\r\nHost: a\r\nA: ${"a".repeat(500)}`;
    expect(await refused({ headerBytes: 400 }, `${long}\r\n\r\n`)).toBe(431);
    expect(await refused({ headerBytes: 400 }, long)).toBe(431);
    expect(await refused({ headerBytes: 400 }, ...long)).toBe(431);
  });

  it("a request above headerCount is rejected with 431", async () => {
    expect(
      await refused({ headerCount: 3 }, "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"),
    ).toBe(431);
  });

  it("a target above targetBytes is rejected with 414", async () => {
    expect(await refused({ targetBytes: 50 }, `GET /${"a".repeat(50)} HTTP/1.1\r\nHost: a\r\n\r\n`)).toBe(
      414,
    );
  });

  it("a body whose length is above bodyBytes is rejected with 413", async () => {
    expect(
      await refused({ bodyBytes: 3 }, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"),
    ).toBe(413);
  });

  it("a chunked body that exceeds bodyBytes is rejected with 413, and the upstream gets no whole request", async () => {
    const upstream = await startUpstream(() => ({ writes: [OK] }));
    const gateway = await startGateway({ nodes: [upstream.port], options: { limits: { bodyBytes: 3 } } });
    const client = await gateway.client();
    await client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
      "2\r\nab\r\n",
      "2\r\ncd\r\n0\r\n\r\n",
    );
    expect(await client.response("POST", { end: true })).toMatchObject({ status: 413, closed: true });
    expect(upstream.requests).toHaveLength(0);
    await expect.poll(() => gateway.server.stats().inFlight).toBe(0);
  });

  it("request trailers above trailerBytes are rejected with 431", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { options: { limits: { trailerBytes: 20 } } });
    const client = await gateway.client();
    await client.send(
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ${"a".repeat(40)}\r\n\r\n`,
    );
    expect(await client.response("POST", { end: true })).toMatchObject({ status: 431, closed: true });
  });

  it("a chunk extension above chunkExtensionBytes is rejected with 400", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      options: { limits: { chunkExtensionBytes: 20 } },
    });
    const client = await gateway.client();
    await client.send(
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${"a".repeat(40)}\r\na\r\n0\r\n\r\n`,
    );
    expect(await client.response("POST", { end: true })).toMatchObject({ status: 400, closed: true });
  });

  it("a connection closes after the response that reaches requestsPerConnection", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), {
      options: { limits: { requestsPerConnection: 2 } },
    });
    const client = await gateway.client();
    await client.send(GET + GET + GET);
    expect((await client.response("GET")).headers).not.toContainEqual(["Connection", "close"]);
    const last = await client.response("GET", { end: true });
    expect(last.headers).toContainEqual(["Connection", "close"]);
    expect(last).toMatchObject({ closed: true, stray: "" });
  });

  it("a connection above the limit of connections is closed at once", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { options: { limits: { connections: 1 } } });
    const first = await gateway.client();
    await first.send(GET);
    await first.response("GET");
    const second = async () => {
      const client = await gateway.client();
      await client.send(GET);
      return client.response("GET");
    };
    await expect(second()).rejects.toThrow();
    await first.send(GET);
    expect((await first.response("GET")).status).toBe(200);
  });
});

describe("limits of upstreams", () => {
  it("interim responses above interimResponses are dropped", async () => {
    const gateway = await proxyTo(() => ({ writes: [`HTTP/1.1 102 Processing\r\n\r\n`.repeat(2), OK] }), {
      options: { limits: { interimResponses: 1 } },
    });
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect([got.status, got.interim.length]).toEqual([200, 1]);
  });

  it("a response whose trailers exceed trailerBytes is cut", async () => {
    const gateway = await proxyTo(
      () => ({
        writes: [
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: ${"a".repeat(40)}\r\n\r\n`,
        ],
      }),
      { options: { limits: { trailerBytes: 20 } } },
    );
    const client = await gateway.client();
    await client.send(GET);
    await expect(client.response("GET")).rejects.toThrow("ended early");
  });

  it("bodyBytes does not limit responses", async () => {
    const gateway = await proxyTo(() => ({ writes: [OK] }), { options: { limits: { bodyBytes: 1 } } });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe("ok");
  });
});

describe("timeouts of clients", () => {
  it("a head that does not end within headerTimeout is rejected with 408, also if it trickles", async () => {
    const clock = new DeadlineClock();
    const limits = { headerTimeout: 10_000 };
    const gateway = await proxyTo(() => ({ writes: [OK] }), { clock, options: { limits } });
    const client = await gateway.client();
    const response = client.response("GET", { end: true });
    let answered = false;
    const end = response.finally(() => {
      answered = true;
    });
    let sent = 0;
    for (const byte of `GET / HTTP/1.1\r\nHost: ${"a".repeat(1_000)}`) {
      if (answered) break;
      await client.send(byte).catch(() => {});
      sent++;
      await clock.advance(500);
    }
    expect(await end).toMatchObject({ status: 408, closed: true });
    expect(sent).toBeGreaterThan(20);
    expect(sent).toBeLessThan(1_000);
  });

  it("a silent connection is closed after headerTimeout without a response", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => ({ writes: [OK] }), { clock });
    const client = await gateway.client();
    await expires(clock, () => client.socket.readableEnded);
    expect(client.socket.bytesRead).toBe(0);
  });

  it("a request body that stops for bodyTimeout is rejected with 408", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => ({ writes: [OK] }), { clock });
    const client = await gateway.client();
    await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
    const response = client.response("POST", { end: true });
    expect(await clock.advanceUntil(response)).toMatchObject({ status: 408, closed: true });
    expect(gateway.nodes[0]?.active).toBe(0);
  });

  it("a response that the client does not read for bodyTimeout is cut", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(
      () => ({
        writes: [
          `HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n`,
          ..."x"
            .repeat(20)
            .split("")
            .map((x) => x.repeat(1_000_000)),
        ],
      }),
      { clock },
    );
    const client = await gateway.client();
    client.socket.pause();
    await client.send(GET);
    await expires(clock, () => gateway.upstream.requests.length > 0 && gateway.server.stats().inFlight === 0);
    expect(gateway.server.stats()).toMatchObject({ connections: 0, inFlight: 0 });
  });

  it("an idle connection is closed after idleTimeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => ({ writes: [OK] }), { clock });
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await clock.advance(DEFAULT_LIMITS.idleTimeout);
    expect(gateway.server.stats().connections).toBe(1);
    await clock.advance(1);
    await expect.poll(() => client.socket.readableEnded).toBe(true);
  });
});

describe("timeouts of upstreams", () => {
  it("a request fails with 504 if the upstream sends no head within the read timeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => undefined, { clock });
    const client = await gateway.client();
    await client.send(GET);
    const got = await clock.advanceUntil(client.response("GET"));
    expect(got.status).toBe(504);
    expect(got.body).toContain("504 Gateway Time");
  });

  it("a response is cut if its body stops for the read timeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab"] }), {
      clock,
    });
    const client = await gateway.client();
    await client.send(GET);
    await expect(clock.advanceUntil(client.response("GET"))).rejects.toThrow("ended early");
  });

  it("a request ends with 504 after the connect timeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await startGateway({ nodes: [await unacceptedPort()], clock });
    const client = await gateway.client();
    await client.send(GET);
    expect((await clock.advanceUntil(client.response("GET"))).status).toBe(504);
  });

  it("a request fails with 504 if the upstream does not read its body within the send timeout", async () => {
    const clock = new DeadlineClock();
    const gateway = await startGateway({ nodes: [(await listening()).port], clock });
    const client = await gateway.client();
    void client
      .send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000000\r\n\r\n${"x".repeat(30_000_000)}`)
      .catch(() => {});
    expect((await clock.advanceUntil(client.response("POST"))).status).toBe(504);
  });
});

/** A port whose queue of connections is full: Linux drops every further SYN. */
async function unacceptedPort(): Promise<number> {
  // The thread blocks, so that it accepts no connection.
  const code = `
    const { parentPort } = require("node:worker_threads");
    const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = (await once(worker, "message")) as [number];
  const fillers = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => fillers.forEach((socket) => void socket.destroy()));
  await once(fillers[0] as Socket, "connect");
  return port;
}

/** Advances the clock until `probe` is true. */
const expires = (clock: DeadlineClock, probe: () => boolean) =>
  until(async () => {
    await clock.advance(5_000);
    return probe();
  });
