import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import { until } from "../../support/patience.js";
import { type GatewaySettings, GET, listening, OK, proxyTo, startGateway } from "./gateway.js";
import { answer, collect, holding, MOMENT, own, stepping } from "./holding.js";

const MB = 1_048_576;

describe("a response whose end is delayed", () => {
  it("a small response is sent only after the release, and then whole", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received()).toBe("");
    expect(seen.map(({ phase }) => phase)).toEqual(["acknowledge"]);
    release();
    expect(await client.response("GET")).toMatchObject({ status: 200, body: "ok", stray: "" });
    expect(seen.map(({ phase }) => phase)).toEqual(["acknowledge", "log"]);
  });

  it("the acknowledge phase sees the byte count of the complete response", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    (await turn()).release();
    await client.response("GET");
    expect(seen.map(({ bytesSent }) => bytesSent)).toEqual([received().length, received().length]);
  });

  it("a delayed response of known length streams up to its last piece", async () => {
    const { settings, turn } = holding();
    const pieces = ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "def", "ghi"];
    const { client, received } = await stepping(pieces, settings);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received()).toMatch(/abcdef$/);
    release();
    expect((await client.response("GET")).body).toBe("abcdefghi");
  });

  it("a delayed chunked response streams all chunks but the terminating one", async () => {
    const { settings, turn } = holding();
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n";
    const pieces = [`${head}3\r\nabc\r\n`, "3\r\ndef\r\n", "0\r\nX-Sum: 6\r\n\r\n"];
    const { client, received } = await stepping(pieces, settings);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received()).toMatch(/def\r\n$/);
    release();
    expect((await client.response("GET")).body).toBe("abcdef");
    expect(received()).toMatch(/0\r\nX-Sum: 6\r\n\r\n$/);
  });

  it("the connection of a delayed response that ends with it stays open until the release", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(
      () => ({ writes: ["HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"], end: true }),
      settings,
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    let ended = false;
    client.socket.on("end", () => {
      ended = true;
    });
    await client.send("GET / HTTP/1.0\r\n\r\n");
    const { release } = await turn();
    await expect.poll(received).toMatch(/abc$/);
    await wait(MOMENT);
    expect(ended).toBe(false);
    release();
    await expect.poll(() => ended).toBe(true);
  });

  it.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"],
    ["GET", "HTTP/1.1 204 No Content\r\n\r\n"],
    ["GET", 'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'],
    ["GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"],
    ["GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ])(
    "a delayed response without a body is complete only after the release: %s, %s",
    async (method, response) => {
      const { settings, turn } = holding();
      const gateway = await proxyTo(answer(response), settings);
      const client = await gateway.client();
      const received = collect(client.socket);
      await client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`);
      const { release } = await turn();
      await wait(MOMENT);
      // A chunked head does not end the response, so it may be sent before.
      if (!response.includes("chunked")) expect(received()).toBe("");
      release();
      expect(await client.response(method)).toMatchObject({ body: "", stray: "" });
      await client.send(`${method} /again HTTP/1.1\r\nHost: a\r\n\r\n`);
      (await turn(1)).release();
      expect(await client.response(method)).toMatchObject({ body: "", stray: "" });
    },
  );

  it.each([
    [
      "a phase's answer",
      { settings: (m: PipelineModule) => ({ module: { ...m, ...own(403, "no") } }), status: 403 },
    ],
    ["404", { settings: (m: PipelineModule) => ({ noRoute: true, globalRules: [m] }), status: 404 }],
    [
      "503 without an upstream",
      { settings: (m: PipelineModule) => ({ module: m, noUpstream: true }), status: 503 },
    ],
    ["502", { settings: (m: PipelineModule) => ({ module: m, nodes: [1] }), status: 502 }],
  ])("a local reply is delayed until the release: %s", async (_, { settings, status }) => {
    const { module, turn, seen } = holding();
    const gateway = await startGateway(settings(module as PipelineModule) as GatewaySettings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received()).toBe("");
    release();
    expect((await client.response("GET")).status).toBe(status);
    expect(seen.map(({ phase }) => phase)).toEqual(["acknowledge", "log"]);
    expect(seen.map(({ bytesSent }) => bytesSent)).toEqual([received().length, received().length]);
  });

  it("a filtered response is delayed until the release", async () => {
    const filter = { apply: (text: string) => text.toUpperCase(), maxBytes: MB, oversize: "refuse" } as const;
    const { settings, turn } = holding({ headerFilter: (x) => x.response.filterBody(filter) });
    const gateway = await proxyTo(answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", "bc"), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received()).toBe("");
    release();
    expect((await client.response("GET")).body).toBe("ABC");
  });

  it("a response whose body was replaced is delayed until the release", async () => {
    const { settings, turn, seen } = holding({ headerFilter: (x) => x.response.replaceBody("new") });
    const gateway = await proxyTo(answer("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", "def"), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    release();
    expect((await client.response("GET")).body).toBe("new");
    expect(seen.map(({ phase }) => phase)).toEqual(["acknowledge", "log"]);
  });

  it("a response waits for all acknowledge steps, of global rules and of the route", async () => {
    const first = holding();
    const second = holding();
    const gateway = await proxyTo(answer(OK), { module: second.module, globalRules: [first.module] });
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    (await second.turn()).release();
    await wait(MOMENT);
    expect(received()).toBe("");
    (await first.turn()).release();
    expect((await client.response("GET")).status).toBe(200);
  });

  it("a response is sent without a delay if the acknowledge phase requests none", async () => {
    const phases: string[] = [];
    const gateway = await proxyTo(answer(OK), {
      module: { acknowledge: () => void phases.push("acknowledge"), log: () => void phases.push("log") },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe("ok");
    expect(phases).toEqual(["acknowledge", "log"]);
  });

  it("a response is sent if the acknowledge phase throws, and the error is logged", async () => {
    const gateway = await proxyTo(answer(OK), {
      module: {
        acknowledge() {
          throw new Error("broken");
        },
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe("ok");
    expect(gateway.events).toEqual([{ event: "module_failed", reason: new Error("broken") }]);
  });
});

describe("requests behind a delayed response", () => {
  it("pipelined requests are served after the delayed response, in order, on the same connections", async () => {
    const { settings, turn, seen } = holding();
    const gateway = await proxyTo(({ target }) => {
      return { writes: [`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${target}`] };
    }, settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(
      ["/1", "/2", "/3"].map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""),
    );
    for (const [n, body] of ["/1", "/2", "/3"].entries()) {
      const { release } = await turn(n);
      await wait(MOMENT);
      expect(received().split("HTTP/1.1 200").length - 1).toBe(n);
      release();
      expect((await client.response("GET")).body).toBe(body);
    }
    expect(gateway.upstream.received).toHaveLength(1);
    expect(seen.map(({ phase, uri }) => `${phase} ${uri}`)).toEqual(
      ["/1", "/2", "/3"].flatMap((uri) => [`acknowledge ${uri}`, `log ${uri}`]),
    );
  });

  it("pipelined requests of a client that has half-closed its connection are served", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET + GET + GET);
    client.socket.end();
    for (let n = 0; n < 3; n++) {
      const { release } = await turn(n);
      await wait(MOMENT);
      release();
      expect((await client.response("GET")).body).toBe("ok");
    }
  });

  it("a request on another connection does not wait for a delayed response", async () => {
    const { settings, turn } = holding();
    const gateway = await proxyTo(answer(OK), settings);
    const [one, two] = [await gateway.client(), await gateway.client()];
    await one.send(GET);
    await turn(0);
    await two.send(GET);
    (await turn(1)).release();
    expect((await two.response("GET")).body).toBe("ok");
    (await turn(0)).release();
    expect((await one.response("GET")).body).toBe("ok");
  });

  it("a connection serves 100 delayed responses with bodies in both directions", async () => {
    const gateway = await proxyTo(
      ({ body }) => ({ writes: [`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`] }),
      {
        module: { acknowledge: (x) => x.delayEndOfResponse(new Promise((resolve) => setImmediate(resolve))) },
      },
    );
    const client = await gateway.client();
    for (let i = 1; i <= 100; i++) {
      const body = "x".repeat(i * 331);
      await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      expect((await client.response("POST")).body).toBe(body);
    }
    expect(gateway.upstream.received).toHaveLength(1);
  });
});

describe("long bodies", () => {
  const sizes = [1, 16_383, 16_384, 16_385, 65_536, 10 * MB];
  it.each(sizes)("a delayed body of %i bytes arrives whole after the release of its end", async (size) => {
    const { settings, turn, seen } = holding();
    const body = "0123456789abcdef".repeat(Math.ceil(size / 16)).slice(0, size);
    const gateway = await proxyTo(
      answer(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`, body),
      settings,
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    const { release } = await turn();
    await wait(MOMENT);
    expect(received().endsWith(body)).toBe(false);
    release();
    expect((await client.response("GET")).body === body).toBe(true);
    await expect.poll(() => seen.at(-1)?.phase).toBe("log");
    expect(seen.map(({ bytesSent }) => bytesSent)).toEqual([received().length, received().length]);
  });

  it("a delayed body in pieces of one byte arrives whole", async () => {
    const { settings, turn } = holding();
    const body = "0123456789".repeat(30);
    const gateway = await proxyTo(
      answer("HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n", ...body),
      settings,
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    const { release } = await turn();
    await expect.poll(() => received().endsWith(body.slice(0, -1))).toBe(true);
    release();
    expect((await client.response("GET")).body).toBe(body);
  });

  it("a delayed body of 40 MB stops the upstream while the client does not read, and then arrives whole", async () => {
    const { settings, turn } = holding();
    // More than the kernel's buffers of both connections.
    const size = 40 * MB;
    let upstreamEnd: Socket | undefined;
    const upstream = await listening((socket) => {
      upstreamEnd = socket;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
      for (let i = 0; i < size / MB; i++) socket.write("x".repeat(MB));
    });
    const gateway = await startGateway({ nodes: [upstream.port], ...settings });
    const client = await gateway.client();
    const received = collect(client.socket);
    client.socket.pause();
    await client.send(GET);
    // No byte moves between two polls.
    let before = 0;
    await until(() => {
      const unsent = upstreamEnd?.writableLength ?? 0;
      const stands = unsent > 0 && unsent === before;
      before = unsent;
      return stands;
    });
    client.socket.resume();
    (await turn()).release();
    await expect.poll(() => received().split("\r\n\r\n")[1]?.length).toBe(size);
  });
});
