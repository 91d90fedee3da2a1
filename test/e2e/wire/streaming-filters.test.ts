import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
} from "node:zlib";
import { describe, expect, it } from "vitest";
import { filter } from "../../../runtime/abi/text/filter.js";
import { chunked, fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { GET, proxyTo } from "./gateway.js";
import { collect } from "./holding.js";

/** Every match is decided 15 bytes before the end of the input so far. */
const mask = filter([{ pattern: /secret=(\w{1,8})/g, replacement: ["secret=<", 1, ">"], window: 16 }]);
const squeeze = filter([{ pattern: / +/g, replacement: " ", window: 1, trailingRun: / */y }]);
const firstOnly = filter([{ pattern: /a/, replacement: "A", window: 1 }]);

const line = "some text with secret=abcdef and    blanks\n";
const long = line.repeat(10_000);
const masked = long.replace(/secret=(\w{1,8})/g, "secret=<$1>");
const latin1 = (bytes: Buffer) => bytes.toString("latin1");

const withLength = (body: string, ...fields: string[]) =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join("")}Content-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (body: string, size: number, ...fields: string[]) =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join("")}Transfer-Encoding: chunked\r\n\r\n${chunked(body, size)}`;
const asking = (coding: string) => GET.replace("\r\n\r\n", `\r\nAccept-Encoding: ${coding}\r\n\r\n`);

async function through(writes: string[], filters = [mask], request = GET) {
  const gateway = await proxyTo(() => ({ writes }), {
    module: {
      headerFilter: (x) => {
        for (const one of filters) x.response.filterBody(one);
      },
    },
  });
  const client = await gateway.client();
  await client.send(request);
  const response = await client.response("GET", { settle: 20 });
  expect(gateway.server.stats().bufferedBytes).toBe(0);
  return { ...response, events: gateway.events };
}

describe("a body that is filtered as a stream", () => {
  it.each([
    ["of known length", withLength(long)],
    ["in large chunks", inChunks(long, 30_000)],
    ["in small chunks", inChunks(long, 100)],
  ])("a streamed body %s is filtered like the whole body and sent in chunks", async (_, response) => {
    const got = await through([response]);
    expect(got.body === masked).toBe(true);
    expect(fieldValues(got.headers, "transfer-encoding")).toEqual(["chunked"]);
    expect(fieldValues(got.headers, "content-length")).toEqual([]);
  });

  it("a streamed body passes through several filters", async () => {
    const got = await through([inChunks(long, 1_000)], [mask, squeeze]);
    expect(got.body === masked.replace(/ +/g, " ")).toBe(true);
  });

  it("a filter with scope once changes the first match of a streamed body only", async () => {
    const got = await through(
      [inChunks(`${"-".repeat(100_000)}aaaa${"b".repeat(100_000)}`, 999)],
      [firstOnly],
    );
    expect(got.body === `${"-".repeat(100_000)}Aaaa${"b".repeat(100_000)}`).toBe(true);
  });

  it("a streamed body of unknown length is sent before it has arrived whole", async () => {
    const whole = inChunks(line.repeat(3), line.length);
    const gateway = await proxyTo(
      () => ({ writes: [whole.slice(0, whole.indexOf(line) + line.length + 2)] }),
      {
        module: { headerFilter: (x) => x.response.filterBody(mask) },
      },
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    await expect.poll(received).toContain("secret=<abcdef>");
  });

  it("a short body of known length is filtered and sent with its exact length", async () => {
    const got = await through([withLength(line)]);
    expect(fieldValues(got.headers, "content-length")).toEqual([String(line.length + 2)]);
    expect(fieldValues(got.headers, "transfer-encoding")).toEqual([]);
  });

  it("a client of HTTP/1.0 receives a filtered stream whole", async () => {
    const got = await through([withLength(long)], [mask], "GET / HTTP/1.0\r\nHost: a.example\r\n\r\n");
    expect(got.body === masked).toBe(true);
  });

  it("a filtered stream is cut without its last chunk if the upstream closes early", async () => {
    const gateway = await proxyTo(
      () => ({
        writes: [`HTTP/1.1 200 OK\r\nContent-Length: ${long.length}\r\n\r\n${long.slice(0, 200_000)}`],
        end: true,
      }),
      { module: { headerFilter: (x) => x.response.filterBody(mask) } },
    );
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    await expect(client.response("GET")).rejects.toThrow();
    expect(received()).not.toMatch(/\r\n0\r\n\r\n$/);
  });
});

describe("a coded body that is filtered as a stream", () => {
  const codings: [name: string, encode: (text: string) => Buffer, decode: (bytes: Buffer) => Buffer][] = [
    ["gzip", gzipSync, gunzipSync],
    ["deflate", deflateSync, inflateSync],
    ["br", brotliCompressSync, brotliDecompressSync],
  ];
  /** Hardly shrinks, so that it does not come in one read. */
  const noise = Array.from({ length: 40_000 }, (_, i) => Math.imul(i + 1, 2_654_435_761) >>> 0).join(
    " secret=abc ",
  );
  const clean = noise.replace(/secret=(\w{1,8})/g, "secret=<$1>");

  it.each(codings)("a %s stream is sent plain to a client that accepts no coding", async (name, encode) => {
    const got = await through([inChunks(latin1(encode(noise)), 5_000, `Content-Encoding: ${name}`)]);
    expect(got.body === clean).toBe(true);
    expect(fieldValues(got.headers, "content-encoding")).toEqual([]);
  });

  it.each(codings)(
    "a filtered %s stream is coded again for a client that accepts it",
    async (name, encode, decode) => {
      const response = inChunks(latin1(encode(noise)), 5_000, `Content-Encoding: ${name}`, "Vary: Origin");
      const got = await through([response], [mask], asking(`identity;q=0.5, ${name}`));
      expect(fieldValues(got.headers, "content-encoding")).toEqual([name]);
      expect(fieldValues(got.headers, "vary")).toEqual(["Origin", "Accept-Encoding"]);
      expect(latin1(decode(Buffer.from(got.body, "latin1"))) === clean).toBe(true);
    },
  );

  it("a short gzip body is coded again for a client that accepts it", async () => {
    const got = await through(
      [withLength(latin1(gzipSync(line)), "Content-Encoding: gzip")],
      [mask],
      asking("gzip"),
    );
    expect(fieldValues(got.headers, "content-encoding")).toEqual(["gzip"]);
    expect(latin1(gunzipSync(Buffer.from(got.body, "latin1")))).toContain("secret=<abcdef>");
  });

  it.each(["gzip;q=0", "br", "*;q=0, br"])(
    "a gzip body is sent plain to a client with Accept-Encoding: %s",
    async (accepted) => {
      const got = await through(
        [withLength(latin1(gzipSync(line)), "Content-Encoding: gzip")],
        [mask],
        asking(accepted),
      );
      expect(fieldValues(got.headers, "content-encoding")).toEqual([]);
      expect(got.body).toContain("secret=<abcdef>");
    },
  );

  it("a damaged coded body and a decompression bomb are cut", async () => {
    const bytes = gzipSync(noise);
    bytes.fill(0x55, bytes.length - 20_000, bytes.length - 10_000);
    for (const body of [bytes, gzipSync("a".repeat(30_000_000))]) {
      const gateway = await proxyTo(
        () => ({ writes: [inChunks(latin1(body), 8_000, "Content-Encoding: gzip")] }),
        { module: { headerFilter: (x) => x.response.filterBody(mask) } },
      );
      const client = await gateway.client();
      await client.send(GET);
      await expect(client.response("GET")).rejects.toThrow();
      expect(gateway.events.map(({ event }) => event)).toEqual(["body_not_filtered"]);
      expect(gateway.server.stats().bufferedBytes).toBe(0);
    }
  });
});
