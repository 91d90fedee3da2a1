import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { BufferOutcome, Exchange } from "../../../runtime/abi/exchange.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { liveNode } from "../../../runtime/proxy/upstream/balancer.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { OK, proxyTo } from "./gateway.js";

const POST = "POST / HTTP/1.1\r\nHost: a\r\n";
const answer = () => ({ writes: [OK] });

/**
 * A module that buffers the body until it contains "!", removes parts of it, and runs `meanwhile` before it
 * continues.
 */
function holding(
  settings: {
    maxBytes?: number;
    cut?: [number, number][];
    upstream?: boolean;
    meanwhile?: (x: Exchange) => Promise<void> | void;
  } = {},
) {
  const seen: { held: string; ended: boolean; outcome?: BufferOutcome }[] = [];
  const module: Omit<PipelineModule, "id"> = {
    async access(x) {
      let held = "";
      let isEnded = false;
      const outcome = await x.bufferBody(settings.maxBytes ?? 1_024, (bytes, ended) => {
        held = bytes.toString("latin1");
        isEnded = ended;
        return held.includes("!");
      });
      seen.push({ held, ended: isEnded, outcome });
      for (const [start, end] of settings.cut ?? []) x.removeBodyRange(start, end, settings.upstream ?? true);
      await settings.meanwhile?.(x);
    },
  };
  return { module, seen };
}

describe("a body whose beginning an access phase buffers", () => {
  it("a buffered body that has arrived whole is sent to the upstream unchanged", async () => {
    const { module, seen } = holding();
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 5\r\n\r\nhello`);
    expect((await browser.response("POST")).status).toBe(200);
    expect(seen).toEqual([{ held: "hello", ended: true, outcome: "ended" }]);
    expect(upstream.requests[0]?.body).toBe("hello");
    expect(fieldValues(upstream.requests[0]?.headers ?? [], "content-length")).toEqual(["5"]);
  });

  it("a buffered chunked body keeps its framing and trailers after a part was removed", async () => {
    const { module } = holding({ cut: [[0, 3]] });
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    const chunks = ["3\r\nab", "c\r\n4\r\ncut!\r", "\n1\r\nx\r\n", "0\r\nX-Sum: 9\r\n\r\n"];
    await browser.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`, ...chunks);
    expect((await browser.response("POST")).status).toBe(200);
    expect(upstream.requests[0]?.body).toBe("cut!x");
    expect(upstream.received[0]).toContain("X-Sum: 9");
    expect(fieldValues(upstream.requests[0]?.headers ?? [], "transfer-encoding")).toEqual(["chunked"]);
  });

  it("a body with removed parts is forwarded while its rest still arrives", async () => {
    const { module } = holding({
      cut: [
        [1, 3],
        [4, 5],
      ],
    });
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 12\r\n\r\n0123!`);
    await expect.poll(() => upstream.received[0] ?? "").toContain("\r\n\r\n03");
    await browser.send("5678910");
    expect((await browser.response("POST")).status).toBe(200);
    expect(upstream.requests[0]?.body).toBe("035678910");
  });

  it("three pipelined requests in one write are buffered and forwarded one after the other", async () => {
    const { module, seen } = holding({ meanwhile: () => wait(20) });
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    const one = `${POST}Content-Length: 3\r\n\r\na!b`;
    await browser.send(one + one + one);
    for (let i = 0; i < 3; i++) expect((await browser.response("POST")).status).toBe(200);
    expect(upstream.requests.map(({ body }) => body)).toEqual(["a!b", "a!b", "a!b"]);
    expect(seen).toHaveLength(3);
  });

  it("buffering a body sends 100 Continue to a client that expects it", async () => {
    const { module } = holding();
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    await browser.send(`${POST}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`);
    await wait(20);
    expect(upstream.received).toEqual([]);
    await browser.send("abc!");
    const { status, interim } = await browser.response("POST");
    expect([status, interim.map(({ startLine }) => startLine)]).toEqual([200, ["HTTP/1.1 100 Continue"]]);
  });

  it("a body is buffered up to maxBytes, and a 413 then leaves the connection usable", async () => {
    const { module, seen } = holding({ maxBytes: 10, meanwhile: (x) => x.respond(413, "too late") });
    const { client, upstream, server } = await proxyTo(answer, { module });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 30\r\n\r\n0123456789!`);
    expect((await browser.response("POST")).status).toBe(413);
    expect(seen).toEqual([{ held: "0123456789", ended: false, outcome: "limit" }]);
    await browser.send(`${"x".repeat(19)}${POST}Content-Length: 1\r\n\r\n!`);
    expect((await browser.response("POST")).status).toBe(413);
    expect(upstream.requests).toEqual([]);
    expect(server.stats().bufferedBytes).toBe(0);
  });

  it("buffering stops at bufferedBodyBytes, and a buffered body is released after its exchange", async () => {
    const held: number[] = [];
    const { module, seen } = holding({
      maxBytes: 100_000,
      meanwhile: () => void held.push(server.stats().bufferedBytes),
    });
    const { client, server } = await proxyTo(answer, {
      module,
      options: { limits: { bufferedBodyBytes: 1_000 } },
    });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 500\r\n\r\n${"x".repeat(500)}`);
    await browser.response("POST");
    await browser.send(`${POST}Content-Length: 5000\r\n\r\n${"x".repeat(5_000)}`);
    await browser.response("POST");
    expect(seen.map(({ outcome }) => outcome)).toEqual(["ended", "room"]);
    expect(held[0]).toBe(500);
    expect(server.stats().bufferedBytes).toBe(0);
  });

  it("a buffered body is released if the client disconnects, while it arrives or while the phase waits", async () => {
    const { module, seen } = holding({ meanwhile: () => wait(30) });
    const { client, upstream, server } = await proxyTo(answer, { module });
    const [early, late] = [await client(), await client()];
    await early.send(`${POST}Content-Length: 10\r\n\r\nabc`);
    await late.send(`${POST}Content-Length: 10\r\n\r\nabc!`);
    await expect.poll(() => seen.length).toBe(1);
    early.close();
    late.close();
    await expect.poll(() => seen.map(({ outcome }) => outcome)).toEqual(["enough", "gone"]);
    await expect.poll(() => server.stats()).toMatchObject({ inFlight: 0, bufferedBytes: 0, connections: 0 });
    expect(upstream.requests).toEqual([]);
  });

  it("a buffered body is rejected with 400 for broken framing and with 408 if it stops arriving", async () => {
    const { module, seen } = holding();
    const clock = new DeadlineClock();
    const { client, server } = await proxyTo(answer, { module, clock });
    const broken = await client();
    await broken.send(`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect((await broken.response("POST")).status).toBe(400);
    const slow = await client();
    await slow.send(`${POST}Content-Length: 10\r\n\r\nabc`);
    expect((await clock.advanceUntil(slow.response("POST"))).status).toBe(408);
    expect(seen.map(({ outcome }) => outcome)).toEqual(["gone", "gone"]);
    expect(server.stats()).toMatchObject({ inFlight: 0, bufferedBytes: 0 });
  });

  it("the body timeout does not run while the access phase waits", async () => {
    const clock = new DeadlineClock();
    const { module } = holding({ meanwhile: () => clock.advance(1_000) });
    const { client } = await proxyTo(answer, { module, clock, options: { limits: { bodyTimeout: 100 } } });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 4\r\n\r\nab!`);
    await expect.poll(() => clock.now()).toBe(1_000);
    await browser.send("c");
    expect((await browser.response("POST")).status).toBe(200);
  });

  it("two phases buffer the same body one after the other, and the upstream receives it once", async () => {
    const first = holding({ cut: [[2, 3]] });
    const second = holding({
      cut: [
        [2, 3],
        [0, 1],
      ],
    });
    const { client, upstream } = await proxyTo(answer, {
      module: second.module,
      globalRules: [first.module],
    });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 6\r\n\r\nabc`, "!ef");
    expect((await browser.response("POST")).status).toBe(200);
    expect(second.seen[0]).toMatchObject({ held: "abc!ef", outcome: "enough" });
    expect(upstream.requests[0]?.body).toBe("b!ef");
  });

  it("a request without a body is buffered as an empty body", async () => {
    const { module, seen } = holding();
    const { client, upstream } = await proxyTo(answer, { module });
    const browser = await client();
    await browser.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", `${POST}Content-Length: 0\r\n\r\n`);
    for (const method of ["GET", "POST"]) expect((await browser.response(method)).status).toBe(200);
    expect(seen.map(({ outcome }) => outcome)).toEqual(["ended", "ended"]);
    expect(upstream.requests.map(({ body }) => body)).toEqual(["", ""]);
  });

  it("a buffered body is sent to the next node if the first one refuses connections", async () => {
    const { module } = holding();
    const { client, upstream, nodes } = await proxyTo(answer, { module });
    nodes.unshift(liveNode({ host: "127.0.0.1", port: 1 }, "http:127.0.0.1:1"));
    const browser = await client();
    await browser.send(`${POST}Content-Length: 3\r\n\r\nab!`);
    expect((await browser.response("POST")).status).toBe(200);
    expect(upstream.requests[0]?.body).toBe("ab!");
  });

  it("a captured body lacks the removed part, also if the upstream receives the whole body", async () => {
    const kept: (string | undefined)[] = [];
    const owner = {};
    const { module } = holding({
      cut: [[1, 3]],
      upstream: false,
      meanwhile: (x) => x.captureRequest(owner, 100),
    });
    const log = (x: Exchange) => void kept.push(x.captured(owner, "request")?.text);
    const { client, upstream } = await proxyTo(answer, { module: { ...module, log } });
    const browser = await client();
    await browser.send(`${POST}Content-Length: 6\r\n\r\n0ab!`, "45");
    await browser.response("POST");
    await expect.poll(() => kept).toEqual(["0!45"]);
    expect(upstream.requests[0]?.body).toBe("0ab!45");
  });
});
