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
  ])(
    "headerFilter can turn a response into a 204 although it has a long body %s",
    async (_, filters: BodyFilter[]) => {
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
    },
  );
});

describe("replaceBody", () => {
  it("replaceBody replaces the whole body and sets its exact length", async () => {
    const got = await through([withLength("old body")], (x) => x.response.replaceBody("new"));
    expect(got).toMatchObject({ body: "new", stray: "" });
    expect(fieldValues(got.headers, "content-length")).toEqual(["3"]);
  });

  it("replaceBody drops headers that described the old body, before header actions", async () => {
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

  it("replaceBody with an empty text sends Content-Length 0", async () => {
    const got = await through([withLength("old")], (x) => x.response.replaceBody(""));
    expect(fieldValues(got.headers, "content-length")).toEqual(["0"]);
  });

  it("replaceBody keeps the client's connection usable if the upstream sends a long body", async () => {
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

  it("replaceBody sends one byte per character", async () => {
    const got = await through([withLength("old")], (x) => x.response.replaceBody("\xc3\xa9\xff\x00"));
    expect(got.body).toBe("\xc3\xa9\xff\x00");
  });

  it.each([204, 304])("replaceBody adds no body to a %i response", async (status) => {
    const got = await through([`HTTP/1.1 ${status} x\r\n\r\n`], (x) => x.response.replaceBody("new"));
    expect(got).toMatchObject({ status, stray: "" });
  });

  it("replaceBody gives a response to HEAD no body, but its length", async () => {
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
  ])("a body filter rewrites a body framed by %s and sends its exact new length", async (_, writes, end) => {
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
  ])("a body filter decodes %s, and the client receives plain text", async (coding, body) => {
    const got = await through([withLength(latin1(body), `Content-Encoding: ${coding}`)], filtered);
    expect(got.body).toBe(expected);
    expect(fieldValues(got.headers, "content-encoding")).toEqual([]);
  });

  it("a body with an unknown coding passes a body filter unchanged, with its header", async () => {
    const got = await through([withLength(text, "Content-Encoding: pack200-gzip", 'ETag: "1"')], filtered);
    expect(got.body).toBe(text);
    expect(fieldValues(got.headers, "content-encoding")).toEqual(["pack200-gzip"]);
    expect(fieldValues(got.headers, "etag")).toEqual(['"1"']);
  });

  it("a filtered response fails with 502 if its coded body is damaged", async () => {
    const damaged = latin1(gzipSync(text)).slice(0, -6);
    const got = await through([withLength(damaged, "Content-Encoding: gzip")], filtered);
    expect(got.status).toBe(502);
    expect(got.body).not.toContain("secret");
  });

  it("body filters run in the order in which they were added", async () => {
    const both = (x: Exchange) => {
      x.response.filterBody(mask);
      x.response.filterBody({ ...mask, apply: (body) => body.replace(/\*+!/, "<first>") });
    };
    expect((await through([withLength(text)], both)).body).toBe("a <first> and another ******!");
  });

  it("a body filter runs over a body that was replaced before", async () => {
    const got = await through([withLength("old")], (x) => {
      x.response.replaceBody("the secret");
      x.response.filterBody(mask);
    });
    expect(got.body).toBe("the ******!");
  });

  it("body filters of global rules run before those of the route", async () => {
    const gateway = await proxyTo(() => ({ writes: [withLength(text)] }), {
      module: { headerFilter: (x) => x.response.filterBody(upper) },
      globalRules: [{ headerFilter: (x) => x.response.filterBody(mask) }],
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).body).toBe(expected.toUpperCase());
  });

  it("a body filter runs over an empty body", async () => {
    const got = await through([withLength("")], (x) =>
      x.response.filterBody({ ...mask, apply: (body) => `${body}added` }),
    );
    expect(got.body).toBe("added");
  });

  it.each([204, 304])("a body filter leaves a %i response without a body", async (status) => {
    const got = await through([`HTTP/1.1 ${status} x\r\n\r\n`], filtered);
    expect(got).toMatchObject({ status, stray: "" });
  });

  it("a body filter leaves a response to HEAD without a body", async () => {
    const got = await through(
      ["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"],
      filtered,
      GET.replace("GET", "HEAD"),
    );
    expect(got).toMatchObject({ status: 200, stray: "" });
  });

  it("a connection serves three pipelined requests whose responses are filtered", async () => {
    const gateway = await proxyTo(
      () => ({ writes: [withLength(latin1(gzipSync(text)), "Content-Encoding: gzip")] }),
      { module: { headerFilter: filtered } },
    );
    const client = await gateway.client();
    await client.send(GET + GET + GET);
    for (let i = 0; i < 3; i++) expect((await client.response("GET")).body).toBe(expected);
    expect(gateway.server.stats().bufferedBytes).toBe(0);
  });

  it("a filtered response fails with 502 and without body bytes if the upstream closes early", async () => {
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
  ])("a body above the limit of its filter is rejected with 502 by default: %s", async (_, response) => {
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
  ])(
    "a body above the limit of its filter passes unfiltered with oversize pass, and is counted: %s",
    async (_, response) => {
      const gateway = await proxyTo(() => ({ writes: [response] }), {
        module: { headerFilter: (x) => x.response.filterBody({ ...mask, oversize: "pass" }) },
      });
      const client = await gateway.client();
      await client.send(GET);
      expect((await client.response("GET")).body).toBe(large);
      expect(gateway.server.stats()).toMatchObject({ oversizePassed: 1, bufferedBytes: 0 });
    },
  );

  it("a body that exceeds the filter limit only after decoding passes in its coding with oversize pass", async () => {
    const coded = latin1(gzipSync(large));
    const got = await through([withLength(coded, "Content-Encoding: gzip")], (x) =>
      x.response.filterBody({ ...mask, oversize: "pass" }),
    );
    expect(got.body).toBe(coded);
    expect(fieldValues(got.headers, "content-encoding")).toEqual(["gzip"]);
  });

  it("a body that exceeds the filter limit only after decoding is rejected with 502", async () => {
    const got = await through([withLength(latin1(gzipSync(large)), "Content-Encoding: gzip")], (x) =>
      x.response.filterBody(mask),
    );
    expect(got.status).toBe(502);
  });
});

describe("bufferedBodyBytes", () => {
  it("a response is a 503 while buffered bodies exceed bufferedBodyBytes, and a 200 when there is room", async () => {
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

describe("local replies", () => {
  it("a request without a matching route receives a 404 local reply with an error_msg", async () => {
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

  it("a local reply passes through headerFilter and body filters", async () => {
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

  it("a phase that responds ends the request: later request phases do not run, headerFilter and log do", async () => {
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

  it("a request fails with 500 if a module throws", async () => {
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
