import { describe, expect, it } from "vitest";
import { WireFault } from "../../../runtime/http/fault.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { parseResponseHead, type ResponseHead } from "../../../runtime/http/response-head.js";
import { fieldsOf } from "../../../runtime/proxy/trace/snapshot.js";

const parse = (text: string, bodiless = false) =>
  parseResponseHead(text, text.length, bodiless, DEFAULT_LIMITS);

function accepted(text: string, bodiless = false): ResponseHead {
  const head = parse(text, bodiless);
  if (head instanceof WireFault) throw new Error(`refused: ${head.reason}`);
  return head;
}

const ok = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;

describe("response heads that are rejected", () => {
  it.each([
    ["another protocol", "ICY 200 OK\r\n\r\n"],
    ["version 2.0", "HTTP/2.0 200 OK\r\n\r\n"],
    ["status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
    ["status above 599", "HTTP/1.1 600 OK\r\n\r\n"],
    ["status below 100", "HTTP/1.1 099 OK\r\n\r\n"],
    ["control in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n"],
    ["bare LF", "HTTP/1.1 200 OK\nA: b\r\n\r\n"],
    ["bare CR in a value", ok("A: b\rc")],
    ["NUL", ok("A: b\0")],
    ["folded field", ok("A: b", " c")],
    ["blank before the colon", ok("A : b")],
    ["both lengths", ok("Content-Length: 3", "Transfer-Encoding: chunked")],
    ["two lengths", ok("Content-Length: 3", "Content-Length: 3")],
    ["list of lengths", ok("Content-Length: 3, 3")],
    ["signed length", ok("Content-Length: +3")],
    ["coding other than chunked", ok("Transfer-Encoding: gzip, chunked")],
    ["coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
    [
      "both lengths where no body follows",
      "HTTP/1.1 304 x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
  ])("a response head is rejected: %s", (_, text) => {
    expect(parse(text)).toBeInstanceOf(WireFault);
  });
});

describe("response heads that are accepted", () => {
  it("a response head yields its status and reason, also without a reason", () => {
    expect(accepted("HTTP/1.1 404 Not Here\r\n\r\n")).toMatchObject({ status: 404, reason: "Not Here" });
    expect(accepted("HTTP/1.1 404 \r\n\r\n")).toMatchObject({ status: 404, reason: "" });
    expect(accepted("HTTP/1.1 404\r\n\r\n")).toMatchObject({ status: 404, reason: "" });
  });

  it("a response head without a length ends the body with the connection", () => {
    expect(accepted(ok())).toMatchObject({ framing: { kind: "close" }, keepAlive: false });
  });

  it.each([100, 101, 204, 304])("a response head of status %i has no body", (status) => {
    expect(accepted(`HTTP/1.1 ${status} x\r\nContent-Length: 3\r\n\r\n`).framing).toEqual({ kind: "none" });
  });

  it("a response head after HEAD has no body and keeps its length", () => {
    const head = accepted(ok("Content-Length: 3"), true);
    expect(head).toMatchObject({ framing: { kind: "none" }, contentLength: "3", keepAlive: true });
  });

  it.each([
    ["HTTP/1.1", ["Content-Length: 0"], true],
    ["HTTP/1.1", ["Content-Length: 0", "Connection: close"], false],
    ["HTTP/1.0", ["Content-Length: 0"], false],
    ["HTTP/1.0", ["Content-Length: 0", "Connection: keep-alive"], true],
  ])("a response of %s with %j allows reuse of the connection: %s", (version, lines, keepAlive) => {
    expect(accepted(ok(...lines).replace("HTTP/1.1", version)).keepAlive).toBe(keepAlive);
  });

  it("a response head drops the upstream's Server and the headers of its connection", () => {
    const head = accepted(
      ok("Server: x", "A: 1", "Connection: close, X-Hop", "X-Hop: 1", "Keep-Alive: 5", "Date: now"),
    );
    expect(fieldsOf(head.headers)).toEqual([
      ["A", "1"],
      ["Date", "now"],
    ]);
    expect(head.dated).toBe(true);
  });
});
