import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BodyFilter, Exchange } from "../../../runtime/abi/exchange.js";
import { chunked, fieldValues, pieces } from "../../../runtime/control/in-process/wire-message.js";
import { GET, proxyTo, startGateway } from "./gateway.js";

const mask: BodyFilter = {
  apply: (text) => text.replace(/secret/g, "******!"),
  maxBytes: 1_000,
  oversize: "refuse",
};
const upper: BodyFilter = { ...mask, apply: (text) => text.toUpperCase() };

const withLength = (body: string, ...fields: string[]) =>
  `HTTP/1.1 200 OK\r\n${fields.map((field) => `${field}\r\n`).join("")}Content-Length: ${body.length}\r\n\r\n${body}`;
const latin1 = (bytes: Buffer) => bytes.toString("latin1");

/** One response through a gateway whose route runs `headerFilter`. */
async function through(writes: string[], headerFilter: (x: Exchange) => void, request = GET, end = false) {
  const gateway = await proxyTo(() => ({ writes, end }), { module: { headerFilter } });
  const client = await gateway.client();
  await client.send(request);
  return client.response(request.split(" ")[0] as string, { settle: 20 });
}

describe("a status without a body", () => {
  it.each([
    ["that comes", []],
    ["that is filtered", [upper]],
  ])("ends the exchange, however long the upstream's body is %s", async (_, filters: BodyFilter[]) => {
    const statuses: number[] = [];
    const gateway = await proxyTo(() => ({ writes: [withLength("x".repeat(200_000))] }), {
      module: {
        headerFilter: (x) => {
          x.response.status = 204;
          for (const filter of filters) x.response.filterBody(filter);
        },
        log: (x) => statuses.push(x.response.status),
      },
    });
    const client = await gateway.client();
    for (const _round of [1, 2]) {
      await client.send(GET);
      expect(await client.response("GET")).toMatchObject({ status: 204, body: "" });
    }
    expect(statuses).toEqual([204, 204]);
    expect(gateway.server.stats().inFlight).toBe(0);
  });
});

describe("replaceBody", () => {
  it("replaces the whole body, with its exact length", async () => {
    const got = await through([withLength("old body")], (x) => x.response.replaceBody("new"));
    expect(got).toMatchObject({ body: "new", stray: "" });
    expect(fieldValues(got.headers, "content-length")).toEqual(["3"]);
  });

  it("drops what described the old body, before header actions", async () => {
    const got = await through(
      [withLength("x", "ETag: a", "Last-Modified: b", "Content-Encoding: gzip", "X-Kept: 1")],
      (x) => {
        x.response.replaceBody("new");
        x.response.headers.set("ETag", "mine");
      },
    );
    expect(fieldValues(got.headers, "etag")).toEqual(["mine"]);
    expect(fieldValues(got.headers, "last-modified")).toEqual([]);
    expect(fieldValues(got.headers, "content-encoding")).toEqual([]);
    expect(fieldValues(got.headers, "x-kept")).toEqual(["1"]);
  });

  it("gives an empty body with length 0", async () => {
    const got = await through([withLength("old")], (x) => x.response.replaceBody(""));
    expect(fieldValues(got.headers, "content-length")).toEqual(["0"]);
  });

  it("keeps the client's connection in step, whatever the upstream sends behind", async () => {
    const big = "x".repeat(300_000);
    const gateway = await proxyTo(() => ({ writes: [withLength(big)] }), {
      module: { headerFilter: (x) => x.response.replaceBody("new") },
    });
    const client = await gateway.client();
    for (let i = 0; i < 3; i++) {
      await client.send(GET);
      expect((await client.response("GET")).body).toBe("new");
    }
  });

  it("sends bytes, not characters", async () => {
    const got = await through([withLength("old")], (x) => x.response.replaceBody("\xc3\xa9\xff\x00"));
    expect(got.body).toBe("\xc3\xa9\xff\x00");
  });

  it.each([204, 304])("gives %i no body", async (status) => {
    const got = await through([`HTTP/1.1 ${status} x\r\n\r\n`], (x) => x.response.replaceBody("new"));
    expect(got).toMatchObject({ status, stray: "" });
  });

  it("gives HEAD no body, but its length", async () => {
    const got = await through(
      ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"],
      (x) => x.response.replaceBody("new"),
      GET.replace("GET", "HEAD"),
    );
    expect(got.stray).toBe("");
    expect(fieldValues(got.headers, "content-length")).toEqual(["3"]);
  });
});

describe("filterBody", () => {
  const filtered = (x: Exchange) => x.response.filterBody(mask);
  const text = "a secret and another secret";
  const expected = "a ******! and another ******!";

  it.each([
    ["length", [withLength(text)], false],
    [
      "length, byte by byte",
      [withLength("").replace("Content-Length: 0", `Content-Length: ${text.length}`), ...pieces(text, 1)],
      false,
    ],
    [
      "chunks of one byte",
      [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(text, 1)}`],
      false,
    ],
    [
      "chunks that arrive byte by byte",
      [...`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(text, 5)}`],
      false,
    ],
    ["close", ["HTTP/1.1 200 OK\r\n\r\n", text], true],
  ])("works on a body by %s, with the exact new length", async (_, writes, end) => {
    const got = await through(writes, filtered, GET, end);
    expect(got).toMatchObject({ body: expected, stray: "" });
    expect(fieldValues(got.headers, "content-length")).toEqual([String(expected.length)]);
    expect(fieldValues(got.headers, "transfer-encoding")).toEqual([]);
  });

  it.each([
    ["gzip", gzipSync(text)],
    ["br", brotliCompressSync(text)],
    ["deflate", deflateSync(text)],
    ["gzip, br", brotliCompressSync(gzipSync(text))],
  ])("undoes %s, and the client gets plain text", async (coding, body) => {
    const got = await through([withLength(latin1(body), `Content-Encoding: ${coding}`)], filtered);
    expect(got.body).toBe(expected);
    expect(fieldValues(got.headers, "content-encoding")).toEqual([]);
  });

  it("leaves a coding that nobody knows as it is, with its header", async () => {
    const got = await through([withLength(text, "Content-Encoding: pack200-gzip", 'ETag: "1"')], filtered);
    expect(got.body).toBe(text);
    expect(fieldValues(got.headers, "content-encoding")).toEqual(["pack200-gzip"]);
    expect(fieldValues(got.headers, "etag")).toEqual(['"1"']);
  });

  it("answers 502 for a coded body that is damaged", async () => {
    const damaged = latin1(gzipSync(text)).slice(0, -6);
    const got = await through([withLength(damaged, "Content-Encoding: gzip")], filtered);
    expect(got.status).toBe(502);
    expect(got.body).not.toContain("secret");
  });

  it("runs several in the order in which they were asked for", async () => {
    const both = (x: Exchange) => {
      x.response.filterBody(mask);
      x.response.filterBody({ ...mask, apply: (body) => body.replace(/\*+!/, "<first>") });
    };
    expect((await through([withLength(text)], both)).body).toBe("a <first> and another ******!");
  });

  it("runs over a body that was replaced before", async () => {
    const got = await through([withLength("old")], (x) => {
      x.response.replaceBody("the secret");
      x.response.filterBody(mask);
    });
    expect(got.body).toBe("the ******!");
  });

  it("runs the global rule's before the route's", async () => {
    const gateway = await proxyTo(() => ({ writes: [withLength(text)] }), {
      module: { headerFilter: (x) => x.response.filterBody(upper) },
      globalRules: [{ headerFilter: (x) => x.response.filterBody(mask) }],
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe(expected.toUpperCase());
  });

  it("filters an empty body", async () => {
    const got = await through([withLength("")], (x) =>
      x.response.filterBody({ ...mask, apply: (body) => `${body}added` }),
    );
    expect(got.body).toBe("added");
  });

  it.each([204, 304])("does nothing to %i", async (status) => {
    const got = await through([`HTTP/1.1 ${status} x\r\n\r\n`], filtered);
    expect(got).toMatchObject({ status, stray: "" });
  });

  it("gives HEAD no body", async () => {
    const got = await through(
      ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"],
      filtered,
      GET.replace("GET", "HEAD"),
    );
    expect(got).toMatchObject({ status: 200, stray: "" });
  });

  it("serves the next request on the same connections", async () => {
    const gateway = await proxyTo(
      () => ({ writes: [withLength(latin1(gzipSync(text)), "Content-Encoding: gzip")] }),
      { module: { headerFilter: filtered } },
    );
    const client = await gateway.client();
    await client.send(GET + GET + GET);
    for (let i = 0; i < 3; i++) expect((await client.response("GET")).body).toBe(expected);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it("answers 502 when the upstream breaks off, and shows nothing of the body", async () => {
    const got = await through(["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsecret"], filtered, GET, true);
    expect(got.status).toBe(502);
    expect(got.body).not.toContain("secret");
  });
});

describe("bodies above the limit of a filter", () => {
  const large = "secret ".repeat(1_000);
  const chunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(large, 10)}`;

  it.each([
    ["length", withLength(large)],
    ["chunks", chunks],
  ])("are refused with 502 by default: %s", async (_, response) => {
    const gateway = await proxyTo(() => ({ writes: [response] }), {
      module: { headerFilter: (x) => x.response.filterBody(mask) },
    });
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET", { settle: 20 });
    expect(got).toMatchObject({ status: 502, stray: "" });
    expect(gateway.events.map(({ event }) => event)).toEqual(["body_too_large_to_filter"]);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it.each([
    ["length", withLength(large)],
    ["chunks", chunks],
  ])("pass unfiltered and whole where the rule says so, and are counted: %s", async (_, response) => {
    const gateway = await proxyTo(() => ({ writes: [response] }), {
      module: { headerFilter: (x) => x.response.filterBody({ ...mask, oversize: "pass" }) },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe(large);
    expect(gateway.server.stats()).toMatchObject({ oversizePassed: 1, bufferedBytes: 0 });
  });

  it("pass with their coding when they are too large only after decoding", async () => {
    const coded = latin1(gzipSync(large));
    const got = await through([withLength(coded, "Content-Encoding: gzip")], (x) =>
      x.response.filterBody({ ...mask, oversize: "pass" }),
    );
    expect(got.body).toBe(coded);
    expect(fieldValues(got.headers, "content-encoding")).toEqual(["gzip"]);
  });

  it("are refused when they are too large only after decoding", async () => {
    const got = await through([withLength(latin1(gzipSync(large)), "Content-Encoding: gzip")], (x) =>
      x.response.filterBody(mask),
    );
    expect(got.status).toBe(502);
  });
});

describe("bufferedBodyBytes", () => {
  it("answers 503 when all held bodies together are above it, and serves again when there is room", async () => {
    const half = "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n";
    const gateway = await proxyTo(
      ({ target }) => ({
        writes: target === "/half" ? [half + "x".repeat(600)] : [withLength("y".repeat(600))],
      }),
      {
        module: { headerFilter: (x) => x.response.filterBody(mask) },
        options: { limits: { bufferedBodyBytes: 1_000 } },
      },
    );
    const holding = await gateway.client();
    await holding.send(GET.replace("/", "/half"));
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(600);
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(503);
    holding.socket.resetAndDestroy();
    await expect.poll(() => gateway.server.stats().bufferedBytes).toBe(0);
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(200);
  });
});

describe("responses of the gateway's own", () => {
  it("are 404 with JSON when no route matches", async () => {
    const gateway = await startGateway({ noRoute: true });
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.startLine).toBe("HTTP/1.1 404 Not Found");
    expect(got.body).toBe('{"error_msg":"404 Route Not Found"}\n');
    expect(fieldValues(got.headers, "content-type")[0]).toMatch(/^text\/plain/);
    expect(fieldValues(got.headers, "server")[0]).toMatch(/^GW\/\d/);
    expect(Date.parse(fieldValues(got.headers, "date")[0] ?? "")).toBeGreaterThan(Date.now() - 5_000);
  });

  it("run through headerFilter and the body modes", async () => {
    const gateway = await startGateway({
      nodes: [],
      module: {
        headerFilter(x) {
          expect(x.response.isLocalReply).toBe(true);
          x.response.headers.set("X-Status", String(x.response.status));
          x.response.filterBody({ ...mask, apply: (body) => body.replace("503", "closed") });
          x.response.status = 200;
        },
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.status).toBe(200);
    expect(fieldValues(got.headers, "x-status")).toEqual(["503"]);
    expect(got.body).toContain("closed");
  });

  it("come from a phase that answers, and the later phases do not run", async () => {
    const ran: string[] = [];
    const gateway = await proxyTo(() => ({ writes: [] }), {
      globalRules: [
        {
          rewrite: () => void ran.push("global rewrite"),
          access: () => void ran.push("global access"),
          headerFilter: () => void ran.push("global headerFilter"),
          log: () => void ran.push("global log"),
        },
      ],
      module: {
        rewrite: (x) => {
          ran.push("rewrite");
          x.respond(401, '{"message":"no"}\n');
        },
        access: () => void ran.push("access"),
        headerFilter: () => void ran.push("headerFilter"),
        log: (x) => void ran.push(`log ${x.response.status}`),
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect(await client.response("GET")).toMatchObject({ status: 401, body: '{"message":"no"}\n' });
    expect(ran).toEqual([
      "global rewrite",
      "rewrite",
      "global headerFilter",
      "headerFilter",
      "global log",
      "log 401",
    ]);
  });

  it("are 500 when a module throws", async () => {
    const gateway = await proxyTo(() => ({ writes: [withLength("x")] }), {
      module: {
        headerFilter() {
          throw new Error("broken");
        },
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(500);
    expect(gateway.events[0]?.event).toBe("module_failed");
    expect(gateway.nodes[0]?.active).toBe(0);
  });
});
