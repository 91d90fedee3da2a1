import { execFileSync } from "node:child_process";
import zlib from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { filter } from "../../../runtime/abi/text/filter.js";
import { chunked } from "../../../runtime/control/in-process/wire-message.js";
import { CodeKind, executionMarker, readStallSource } from "../../../runtime/proxy/host/execution-marker.js";
import {
  brotli,
  EMPTY_FRAME,
  ONE_BYTE_FRAME,
  SKIPPED_FRAME,
  textOf,
  times,
} from "../../support/coded-bodies.js";
import { type GatewaySettings, GET, proxyTo } from "./gateway.js";

const MB = 1_000_000;
const latin1 = (bytes: Buffer) => bytes.toString("latin1");
const zstd = (text: Buffer) => execFileSync("zstd", ["-q", "-c"], { input: text, maxBuffer: 16_777_216 });
const CODINGS: [coding: string, code: (text: Buffer) => Buffer][] = [
  ["gzip", (text) => zlib.gzipSync(text)],
  ["deflate", (text) => zlib.deflateSync(text)],
  ["br", (text) => brotli(text)],
  ["zstd", zstd],
];

/** Larger than the kernel's buffers for a client that does not read. */
const long = textOf(16 * MB);

/** Needs the whole body. */
const same = { apply: (text: string) => text, maxBytes: 64 * MB, oversize: "refuse" } as const;
/** Streams the body. */
const mask = filter([{ pattern: /secret=(\w{1,8})/g, replacement: ["secret=<", 1, ">"], window: 16 }]);

const coded = (coding: string, bytes: Buffer) =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n${latin1(bytes)}`;

/** A gateway with a filter; its upstream sends a text for "/plain" and `response` otherwise. */
const filtering = (
  response: string,
  one: typeof same | typeof mask,
  options: GatewaySettings["options"] = {},
) =>
  proxyTo(
    ({ target }) => ({
      writes: [target === "/plain" ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain" : response],
    }),
    { module: { headerFilter: (x) => x.response.filterBody(one) }, options },
  );

const PLAIN = GET.replace("/", "/plain");

describe.each(CODINGS)("a body of coding %s that is buffered for a filter", (coding, code) => {
  it("a coded body is rejected with 503 if bufferedBodyBytes has no room for its text, and others are served", async () => {
    const gateway = await filtering(coded(coding, code(textOf(2 * MB))), same, {
      limits: { bufferedBodyBytes: MB },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(503);
    expect(gateway.events).toEqual([{ event: "buffered_bodies_full", reason: "room" }]);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
    await client.send(PLAIN);
    expect((await client.response("GET")).body).toBe("plain");
  });

  it("a decoded body counts as buffered, also in the metric, until the client has received it", async () => {
    const metrics = new MetricsRegistry();
    const text = long;
    const gateway = await filtering(coded(coding, code(text)), same, { metrics });
    const metric = async () =>
      (await metrics.collect(1_000)).find(({ name }) => name === "gw_buffered_body_bytes")?.series[0]?.value;
    const slow = await gateway.client();
    slow.socket.pause();
    await slow.send(GET);
    await expect
      .poll(() => gateway.server.stats())
      .toMatchObject({ inFlight: 0, bufferedBytes: text.length });
    expect(await metric()).toBe(text.length);
    const gone = await gateway.client();
    gone.socket.pause();
    await gone.send(GET);
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(2 * text.length);
    gone.socket.resetAndDestroy();
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(text.length);
    slow.socket.resume();
    expect((await slow.response("GET")).body === latin1(text)).toBe(true);
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(0);
    expect(await metric()).toBe(0);
  });
});

it("a plain body that a filter buffered counts as buffered until the client has received it", async () => {
  const text = latin1(long);
  const gateway = await filtering(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`, same);
  const slow = await gateway.client();
  slow.socket.pause();
  await slow.send(GET);
  await expect.poll(() => gateway.server.stats()).toMatchObject({ inFlight: 0, bufferedBytes: text.length });
  slow.socket.resume();
  expect((await slow.response("GET")).body === text).toBe(true);
  await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(0);
});

it("a zstd body of more than 16384 frames fails with 502, and the log names that limit", async () => {
  const gateway = await filtering(coded("zstd", times(20_000, ONE_BYTE_FRAME)), same);
  const client = await gateway.client();
  await client.send(GET);
  expect((await client.response("GET")).status).toBe(502);
  expect(gateway.events).toEqual([
    { event: "body_not_filtered", reason: "the zstd body has more than 16384 frames" },
  ]);
  expect(gateway.server.stats().bufferedBytes).toBe(0);
});

describe("a coded body that is filtered as a stream", () => {
  const text = textOf(4 * MB);
  const inChunks = (coding: string, bytes: Buffer) =>
    `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(latin1(bytes), 50_000)}`;
  const limited = { limits: { bufferedBodyBytes: MB } };

  it("a filtered stream is aborted if bufferedBodyBytes has no room for the decoder's window", async () => {
    const gateway = await filtering(inChunks("br", brotli(text, 24)), mask, limited);
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.events).toEqual([{ event: "buffered_bodies_full", reason: "room" }]);
    expect(gateway.server.stats()).toMatchObject({ inFlight: 0, bufferedBytes: 0 });
  });

  it.each([
    ["br", "of 256 kB", brotli(text, 18)],
    ["gzip", "of 32 kB", zlib.gzipSync(text)],
  ])(
    "a streamed coded body passes if bufferedBodyBytes has room for its window: %s %s",
    async (coding, _, bytes) => {
      const gateway = await filtering(inChunks(coding, bytes), mask, limited);
      const client = await gateway.client();
      await client.send(GET);
      expect((await client.response("GET")).body === latin1(text)).toBe(true);
      expect(gateway.server.stats().bufferedBytes).toBe(0);
    },
  );
});

it("a zstd body of several frames passes a streamed filter whole", async () => {
  const text = textOf(200_000);
  const bytes = Buffer.concat([zstd(text), SKIPPED_FRAME, EMPTY_FRAME, zstd(text)]);
  for (const size of [1_000, bytes.length]) {
    const gateway = await filtering(
      `HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(latin1(bytes), size)}`,
      mask,
    );
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body === latin1(Buffer.concat([text, text]))).toBe(true);
  }
});

describe("the stall source while a short body is decoded", () => {
  /** Stall source that a watchdog would report meanwhile. */
  function blamedIn(name: "gunzipSync" | "brotliDecompressSync") {
    const decode: (bytes: zlib.InputType, options?: object) => Buffer<ArrayBuffer> = zlib[name];
    const blamed: ReturnType<typeof readStallSource>[] = [];
    const spy = vi.spyOn(zlib, name).mockImplementation((bytes: zlib.InputType, options?: object) => {
      blamed.push(readStallSource(executionMarker.buffer));
      return decode(bytes, options);
    });
    onTestFinished(() => spy.mockRestore());
    return blamed;
  }

  it.each([
    ["gzip", "gunzipSync", zlib.gzipSync("hello")],
    ["br", "brotliDecompressSync", brotli(Buffer.from("hello"))],
  ] as const)(
    "the stall source is the route's decoding during a decode, and none afterwards: %s",
    async (coding, name, bytes) => {
      const blamed = blamedIn(name);
      const gateway = await filtering(coded(coding, bytes), same);
      const client = await gateway.client();
      await client.send(GET);
      expect((await client.response("GET")).body).toBe("hello");
      expect(blamed).toEqual([{ routeNumber: 0, part: CodeKind.decoding }]);
      expect(readStallSource(executionMarker.buffer)).toEqual({ routeNumber: -1, part: CodeKind.none });
    },
  );
});
