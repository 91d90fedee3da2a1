import { describe, expect, it } from "vitest";
import type { Limits } from "../../../runtime/http/limits.js";
import { read } from "../../architecture/sources.js";
import { DeadlineClock } from "../../support/deadline-clock.js";
import { OK, proxyTo } from "./gateway.js";

/** Rows of the tables of one section without their heads: the text of each cell. */
function rowsOf(page: string, section: string): string[][] {
  const body = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
  return body
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[ -]*-/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
}

type Sample = [request: string, status: number, limits?: Partial<Limits>];

const head = (line: string, fields = "", body = "") => `${line}\r\nHost: a.test\r\n${fields}\r\n${body}`;
const get = (fields: string) => head("GET / HTTP/1.1", fields);
const target = (path: string) => head(`GET ${path} HTTP/1.1`);
const post = (fields: string, body: string) => head("POST / HTTP/1.1", fields, body);
const chunked = (body: string) => post("Transfer-Encoding: chunked\r\n", body);

/**
 * Samples for each row of docs/security.md, by its first words; 200: handled as if the request had no
 * Upgrade.
 */
const REFUSALS: Record<string, Sample[]> = {
  "both `Content-Length` and `Transfer-Encoding`": [
    [post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400],
    [post("Content-Length: 1\r\nContent-Length: 1\r\n", "a"), 400],
    [post("Content-Length: +1\r\n", "a"), 400],
    ["POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400],
  ],
  "a coding other than `chunked`": [
    [post("Transfer-Encoding: gzip\r\n", ""), 501],
    [post("Transfer-Encoding: gzip, chunked\r\n", ""), 400],
  ],
  "a chunk without a size": [
    [chunked("\r\n"), 400],
    [chunked("-1\r\na\r\n"), 400],
    [chunked("0x1\r\na\r\n"), 400],
    [chunked("1\r\nab\r\n"), 400],
    [chunked("1;a=\x01\r\na\r\n"), 400],
    [chunked("0\r\nno colon\r\n\r\n"), 400],
  ],
  "bare CR or LF": [
    ["GET / HTTP/1.1\nHost: a.test\r\n\r\n", 400],
    [get("A: b\rc\r\n"), 400],
    [get("A: b\r\n c\r\n"), 400],
    [get("A : b\r\n"), 400],
    [get("A: \x01\r\n"), 400],
    [get("A(: b\r\n"), 400],
  ],
  "no `Host`": [
    ["GET / HTTP/1.1\r\n\r\n", 400],
    [get("Host: a.test\r\n"), 400],
    ["GET / HTTP/1.1\r\nHost: a.test..\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\nHost: a%2etest\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\nHost: a.test:65536\r\n\r\n", 400],
    [target("http://b.test/"), 400],
  ],
  "a target with bad escapes": [
    [target("/%zz"), 400],
    [target("/\x01"), 400],
    [target("/a b"), 400],
    [target("/%00"), 400],
    [target("/../a"), 400],
    [target("/a/..%2fb"), 400],
  ],
  "`CONNECT`": [
    [head("CONNECT a.test:443 HTTP/1.1"), 501],
    [head("CONNECT / HTTP/1.1"), 501],
  ],
  "`TRACE`, `TRACK`": [
    [head("TRACE / HTTP/1.1"), 405],
    [head("TRACK / HTTP/1.1"), 405],
  ],
  "`Expect` other than": [[get("Expect: 101-more\r\n"), 417]],
  "a version other than": [
    ["GET / HTTP/1.2\r\nHost: a.test\r\n\r\n", 505],
    ["GET / HTTP/2.0\r\nHost: a.test\r\n\r\n", 505],
  ],
  "a target, a head, headers, trailers or a body above its limit": [
    [target(`/${"a".repeat(16_384)}`), 414],
    [get(`A: ${"a".repeat(32_768)}\r\n`), 431],
    [get("A: b\r\n".repeat(256)), 431],
    [chunked(`0\r\nA: ${"a".repeat(8_192)}\r\n\r\n`), 431],
    [post("Content-Length: 2\r\n", "ab"), 413, { bodyBytes: 1 }],
  ],
  "a head or a body that does not arrive in time": [
    ["GET / HTTP/1.1\r\nHost: a.test\r\n", 408],
    [post("Content-Length: 2\r\n", "a"), 408],
  ],
  "bytes after a request with": [[`${get("Connection: close\r\n")}GET`, 400]],
  "`Upgrade` other than": [
    [get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"), 200],
    [get("Connection: Upgrade\r\nUpgrade: websocket\r\n"), 200],
  ],
};

describe("rejected requests of docs/security.md", () => {
  const all = rowsOf(read("docs/security.md"), "Rejected requests");
  const rows = all.slice(
    1,
    all.findIndex(([first]) => first === "event"),
  );

  it("this test has samples for each row of the table in docs/security.md", () => {
    const begins = Object.keys(REFUSALS);
    expect(rows.map(([words = ""]) => begins.find((begin) => words.startsWith(begin)))).toEqual(begins);
  });

  it.each(rows)(
    "the gateway responds as docs/security.md documents for %s: %s",
    async (words = "", answer = "") => {
      const samples = Object.entries(REFUSALS).find(([begin]) => words.startsWith(begin))?.[1] ?? [];
      const told = Array.from(answer.matchAll(/\d{3}/g), Number);
      expect([...new Set(samples.map(([, status]) => status))].sort()).toEqual(
        (told.length > 0 ? told : [200]).sort(),
      );
      for (const [request, status, limits = {}] of samples) {
        const clock = new DeadlineClock();
        const settings = { enableWebsocket: true, clock, options: { limits } };
        const gateway = await proxyTo(() => ({ writes: [OK] }), settings);
        const client = await gateway.client();
        await client.send(request);
        const { status: got } = await clock.advanceUntil(client.response(request.split(" ", 1)[0] ?? ""));
        expect([request.slice(0, 200), got]).toEqual([request.slice(0, 200), status]);
      }
    },
  );
});

describe("paths of docs/paths.md", () => {
  const rows = rowsOf(read("docs/paths.md"), "From the target to the normal form");
  const examples = rows.slice(rows.findIndex(([first]) => first === "target") + 1);
  const spelled = (cell: string) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = ""]) => text);

  it("the table of docs/paths.md has more than 5 examples", () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  it.each(examples)(
    "the gateway normalizes a target as docs/paths.md documents: %s: %s",
    async (targets = "", form = "") => {
      const gateway = await proxyTo(() => ({ writes: [OK] }));
      for (const received of spelled(targets)) {
        const client = await gateway.client();
        await client.send(target(received));
        const { status } = await client.response("GET");
        expect([received, status]).toEqual([received, form === "400" ? 400 : 200]);
        if (status === 200) expect([gateway.upstream.requests.at(-1)?.target]).toEqual(spelled(form));
      }
    },
  );
});
