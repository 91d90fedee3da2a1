import { describe, expect, it } from "vitest";
import { WireFault } from "../../../runtime/http/fault.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import {
  HeadReader,
  incompleteHeadFault,
  parseRequestHead,
  type RequestHead,
} from "../../../runtime/http/request-head.js";
import { fieldsOf } from "../../../runtime/proxy/trace/snapshot.js";

const parse = (text: string, limits = {}) =>
  parseRequestHead(text, 0, text.length, { ...DEFAULT_LIMITS, ...limits });

function accepted(text: string): RequestHead {
  const head = parse(text);
  if (head instanceof WireFault) throw new Error(`refused: ${head.reason}`);
  return head;
}

const withFields = (...lines: string[]) =>
  `GET / HTTP/1.1\r\nHost: a\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;

describe("request heads that are rejected", () => {
  const cases: [name: string, status: number, text: string][] = [
    ["no method", 400, " / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["method with a character that no token has", 400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["two blanks in the request line", 400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["tab in the request line", 400, "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["blank behind the version", 400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"],
    ["no version", 400, "GET /\r\nHost: a\r\n\r\n"],
    ["lower-case protocol name", 400, "GET / http/1.1\r\nHost: a\r\n\r\n"],
    ["version 2.0", 505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"],
    ["version 1.2", 505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"],
    ["version 0.9", 505, "GET / HTTP/0.9\r\nHost: a\r\n\r\n"],
    ["version 1.10", 400, "GET / HTTP/1.10\r\nHost: a\r\n\r\n"],
    ["target with a control", 400, "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["target with a byte above 7E", 400, "GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["target with a fragment", 400, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["target without a slash", 400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["target * with GET", 400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["absolute target of another scheme", 400, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["absolute target with user information", 400, "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["absolute target whose authority differs from Host", 400, "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["CONNECT", 501, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"],
    ["CONNECT of a path", 501, "CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n"],
    ["no Host in 1.1", 400, "GET / HTTP/1.1\r\nA: b\r\n\r\n"],
    ["two Hosts", 400, withFields("Host: a")],
    ["two Hosts in 1.0", 400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"],
    ["empty Host", 400, "GET / HTTP/1.1\r\nHost:\r\n\r\n"],
    ["Host with a path", 400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"],
    ["Host with a blank", 400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"],
    ["Host as a list", 400, "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"],
    ["Host with two dots behind the name", 400, "GET / HTTP/1.1\r\nHost: a.test..\r\n\r\n"],
    ["Host with an empty label", 400, "GET / HTTP/1.1\r\nHost: a..test\r\n\r\n"],
    ["Host with a dot in front", 400, "GET / HTTP/1.1\r\nHost: .a.test\r\n\r\n"],
    ["Host with an escape", 400, "GET / HTTP/1.1\r\nHost: a%2etest\r\n\r\n"],
    ["Host with a port above 65535", 400, "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"],
    ["Host with a port alone", 400, "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"],
    ["Host with a colon alone", 400, "GET / HTTP/1.1\r\nHost: :\r\n\r\n"],
    ["Host with two colons", 400, "GET / HTTP/1.1\r\nHost: a::\r\n\r\n"],
    ["absolute target whose port differs from Host", 400, "GET http://a:8/ HTTP/1.1\r\nHost: a:\r\n\r\n"],
    ["Host with user information", 400, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"],
    ["Host with a port that is no number", 400, "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n"],
    ["Host with bytes above 7E", 400, "GET / HTTP/1.1\r\nHost: \xe9\r\n\r\n"],
    ["blank before the first field", 400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"],
    ["folded field", 400, withFields("A: b", " c")],
    ["folded field by tab", 400, withFields("A: b", "\tc")],
    ["blank before the colon", 400, withFields("A : b")],
    ["tab before the colon", 400, withFields("A\t: b")],
    ["field without a colon", 400, withFields("A")],
    ["field without a name", 400, withFields(": b")],
    ["name with a bracket", 400, withFields("A(b): c")],
    ["name with a byte above 7E", 400, withFields("\xe9: c")],
    ["bare LF behind the request line", 400, "GET / HTTP/1.1\nHost: a\r\n\r\n"],
    ["bare LF behind a field", 400, "GET / HTTP/1.1\r\nHost: a\nA: b\r\n\r\n"],
    ["bare CR in a value", 400, withFields("A: b\rc")],
    ["CR CR LF", 400, withFields("A: b\r")],
    ["NUL in a value", 400, withFields("A: b\0c")],
    ["NUL in a name", 400, withFields("A\0: b")],
    ["control in a value", 400, withFields("A: b\x01c")],
    ["DEL in a value", 400, withFields("A: b\x7fc")],
    ["both lengths", 400, withFields("Content-Length: 3", "Transfer-Encoding: chunked")],
    ["both lengths, the other way round", 400, withFields("Transfer-Encoding: chunked", "Content-Length: 3")],
    ["two equal lengths", 400, withFields("Content-Length: 3", "Content-Length: 3")],
    ["two lengths", 400, withFields("Content-Length: 3", "Content-Length: 4")],
    ["list of lengths", 400, withFields("Content-Length: 3, 3")],
    ["empty length", 400, withFields("Content-Length:")],
    ["length with plus", 400, withFields("Content-Length: +3")],
    ["length with minus", 400, withFields("Content-Length: -3")],
    ["hexadecimal length", 400, withFields("Content-Length: 0x3")],
    ["length with a fraction", 400, withFields("Content-Length: 3.0")],
    ["length with a blank", 400, withFields("Content-Length: 1 2")],
    ["length above 2^53", 400, withFields("Content-Length: 9007199254740993")],
    ["length of seventeen digits", 400, withFields("Content-Length: 00000000000000003")],
    ["coding other than chunked", 501, withFields("Transfer-Encoding: gzip")],
    ["coding behind chunked", 400, withFields("Transfer-Encoding: chunked, gzip")],
    ["coding before chunked", 400, withFields("Transfer-Encoding: gzip, chunked")],
    ["chunked twice", 400, withFields("Transfer-Encoding: chunked, chunked")],
    ["chunked on two lines", 400, withFields("Transfer-Encoding: chunked", "Transfer-Encoding: chunked")],
    ["chunked with a parameter", 400, withFields("Transfer-Encoding: chunked;a=b")],
    ["chunked in quotes", 400, withFields('Transfer-Encoding: "chunked"')],
    ["empty coding", 400, withFields("Transfer-Encoding:")],
    ["chunked with a vertical tab", 400, withFields("Transfer-Encoding: \x0bchunked")],
    ["coding in 1.0", 400, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"],
    ["expectation other than 100-continue", 417, withFields("Expect: 200-ok")],
  ];
  it.each(cases)("a request head is rejected (%s) with %i", (_, status, text) => {
    expect(parse(text)).toMatchObject({ status });
    expect(parse(text)).toBeInstanceOf(WireFault);
  });

  it("a request head with more headers than the limit is rejected with 431", () => {
    expect(parse(withFields("A: 1", "B: 2"), { headerCount: 2 })).toMatchObject({ status: 431 });
    expect(parse(withFields("A: 1"), { headerCount: 2 })).not.toBeInstanceOf(WireFault);
  });

  it("a request head with a target longer than the limit is rejected with 414", () => {
    expect(parse(`GET /${"a".repeat(10)} HTTP/1.1\r\nHost: a\r\n\r\n`, { targetBytes: 10 })).toMatchObject({
      status: 414,
    });
    expect(
      parse(`GET /${"a".repeat(9)} HTTP/1.1\r\nHost: a\r\n\r\n`, { targetBytes: 10 }),
    ).not.toBeInstanceOf(WireFault);
  });
});

describe("request heads that are accepted", () => {
  it.each([
    ["a path", "GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n", "/a?b=c"],
    ["an absolute address", "GET http://A:80/x?y HTTP/1.1\r\nHost: a:80\r\n\r\n", "/x?y"],
    ["an absolute address without a path", "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", "/"],
    ["an absolute address with a query only", "GET http://a?x HTTP/1.1\r\nHost: a\r\n\r\n", "/?x"],
    ["* with OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "*"],
    ["OPTIONS of a whole server", "OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n", "*"],
    ["a host with an empty port", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "/"],
    ["an absolute address with an empty port", "GET http://A:/x HTTP/1.0\r\nHost: a:\r\n\r\n", "/x"],
    ["an IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", "/"],
  ])("a request head is accepted with its target: %s", (_, text, target) => {
    expect(accepted(text).target).toBe(target);
  });

  it("a request head determines the framing of the body", () => {
    expect(accepted(withFields()).framing).toEqual({ kind: "none" });
    expect(accepted(withFields("content-LENGTH:\t 12 \t")).framing).toEqual({ kind: "length", length: 12 });
    expect(accepted(withFields("Transfer-Encoding: Chunked")).framing).toEqual({ kind: "chunked" });
  });

  it.each([
    ["1.1", [], true],
    ["1.1", ["Connection: close"], false],
    ["1.1", ["Connection: Keep-Alive, CLOSE"], false],
    ["1.1", ["Connection: a", "Connection: close"], false],
    ["1.0", [], false],
    ["1.0", ["Connection: keep-alive"], true],
  ])("a request head of HTTP/%s with %j keeps the connection open: %s", (version, lines, keepAlive) => {
    const text = withFields(...lines).replace("HTTP/1.1", `HTTP/${version}`);
    expect(accepted(text).keepAlive).toBe(keepAlive);
  });

  it("a request head drops hop-by-hop headers and those that Connection names", () => {
    const head = accepted(
      withFields(
        "A: 1",
        "Connection: keep-alive, X-Hop",
        "Keep-Alive: 5",
        "TE: trailers",
        "X-Hop: 2",
        "Proxy-Connection: x",
        "B: 3",
      ),
    );
    expect(fieldsOf(head.headers)).toEqual([
      ["A", "1"],
      ["B", "3"],
    ]);
  });

  it("a request head keeps Host and forwarding headers that Connection names", () => {
    const head = accepted(
      withFields("X-Forwarded-For: 1.2.3.4", "Connection: host, x-forwarded-for, x-real-ip"),
    );
    expect(head.authority).toBe("a");
    expect(head.headers.get("x-forwarded-for")).toBe("1.2.3.4");
  });

  it("a request head has an Upgrade only if Connection names it", () => {
    expect(accepted(withFields("Upgrade: websocket")).upgrade).toBeUndefined();
    expect(accepted(withFields("Upgrade: websocket", "Connection: keep-alive, Upgrade")).upgrade).toBe(
      "websocket",
    );
  });

  it("a request head keeps blanks inside of a value and drops those around it", () => {
    expect(accepted(withFields("A: \t b  c \t")).headers.get("a")).toBe("b  c");
    expect(accepted(withFields("A:")).headers.get("a")).toBe("");
    expect(accepted(withFields("A: \xe9\xff")).headers.get("a")).toBe("\xe9\xff");
  });
});

describe("empty lines before a request line", () => {
  const HEAD = withFields();
  /** Reads pieces as they arrive. @returns method of the head, status of its fault, or undefined if it is incomplete */
  function received(...pieces: string[]): string | number | undefined {
    const reader = new HeadReader(DEFAULT_LIMITS);
    let found: RequestHead | WireFault | undefined;
    for (const piece of pieces) found ??= reader.read(Buffer.from(piece, "latin1"), 0, piece.length);
    return found instanceof WireFault ? found.status : found?.method;
  }

  it("four empty lines are skipped, and five are rejected, in one read or in many", () => {
    const lines = (count: number) => Array<string>(count).fill("\r\n");
    expect(received(lines(4).join("") + HEAD)).toBe("GET");
    expect(received(...lines(4), HEAD)).toBe("GET");
    expect(received(lines(5).join("") + HEAD)).toBe(400);
    expect(received(...lines(5), HEAD)).toBe(400);
  });

  it("each request of a connection may have empty lines before it", () => {
    const reader = new HeadReader(DEFAULT_LIMITS);
    const read = (text: string) => reader.read(Buffer.from(text, "latin1"), 0, text.length);
    for (let i = 0; i < 4; i++) {
      expect(read("\r\n\r\n")).toBeUndefined();
      expect(read(HEAD)).toMatchObject({ method: "GET" });
    }
  });
});

describe("incomplete heads", () => {
  const fault = (text: string, from = 0) => incompleteHeadFault(text, from, DEFAULT_LIMITS);

  it.each(["", "G", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"])(
    "an incomplete request head waits for more after %j",
    (text) => {
      expect(fault(text)).toBeUndefined();
      for (let from = 1; from < text.length; from++) expect(fault(text, from)).toBeUndefined();
    },
  );

  it.each([
    ["a TLS hello", "\x16\x03\x01"],
    ["a bare LF", "GET / HTTP/1.1\n"],
    ["a bare CR", "GET / HTTP/1.1\rH"],
  ])("an incomplete request head is rejected at once for %s", (_, text) => {
    expect(fault(text)).toMatchObject({ status: 400 });
  });

  it("an incomplete request head is rejected for a bare LF that arrives alone", () => {
    expect(fault("GET / HTTP/1.1\n", "GET / HTTP/1.1".length - 1)).toMatchObject({ status: 400 });
  });

  it("an endless request line is rejected with 414, and an endless head with 431", () => {
    expect(fault(`GET /${"a".repeat(17_000)}`)).toMatchObject({ status: 414 });
    expect(fault(`GET / HTTP/1.1\r\nA: ${"a".repeat(33_000)}`)).toMatchObject({ status: 431 });
  });
});
