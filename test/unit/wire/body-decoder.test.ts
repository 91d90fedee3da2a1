import { describe, expect, it } from "vitest";
import { RESERVED } from "../../../plugins/captcha/reserved-headers.js";
import { reserveHeaders } from "../../../runtime/abi/reserved-header-names.js";
import { latin1 } from "../../../runtime/abi/text/bytes.js";
import { BodyDecoder } from "../../../runtime/http/body-decoder.js";
import { WireFault } from "../../../runtime/http/fault.js";
import type { Framing } from "../../../runtime/http/fields.js";
import { DEFAULT_LIMITS, type Limits } from "../../../runtime/http/limits.js";

reserveHeaders(RESERVED);

interface Read {
  body: string;
  ended: boolean;
  trailers: string | undefined;
  /** Bytes behind the body. */
  rest: string;
  fault: WireFault | undefined;
}

/** Feeds `text` in pieces of `size` bytes. */
function read(framing: Framing, text: string, size = text.length, limits: Partial<Limits> = {}): Read {
  const got: Read = { body: "", ended: false, trailers: undefined, rest: "", fault: undefined };
  const decoder = new BodyDecoder(
    framing,
    { ...DEFAULT_LIMITS, ...limits },
    {
      data(buffer, start, end) {
        got.body += latin1(buffer, start, end);
        return false;
      },
      end(trailers) {
        got.ended = true;
        got.trailers = trailers;
      },
    },
  );
  for (let at = 0; at < text.length && !got.fault; at += size) {
    const piece = Buffer.from(text.slice(at, at + size), "latin1");
    const stopped = decoder.done ? 0 : decoder.feed(piece, 0, piece.length);
    if (stopped instanceof WireFault) got.fault = stopped;
    else got.rest += latin1(piece, stopped, piece.length);
  }
  return got;
}

const CHUNKED: Framing = { kind: "chunked" };
const refusal = (text: string, limits?: Partial<Limits>) => {
  const byBytes = read(CHUNKED, text, 1, limits).fault;
  expect(read(CHUNKED, text, text.length, limits).fault).toEqual(byBytes);
  return byBytes;
};

describe("chunked bodies that are accepted", () => {
  it.each([1, 2, 3, 7, 1_000])("a chunked body is read in pieces of %i bytes", (size) => {
    const got = read(CHUNKED, "5\r\nhello\r\n00a;x=y\r\n, world!!!\r\n0\r\n\r\nnext", size);
    expect(got).toMatchObject({ body: "hello, world!!!", ended: true, trailers: undefined, rest: "next" });
  });

  it("a chunked body is read with upper-case and lower-case sizes", () => {
    expect(read(CHUNKED, `A\r\n${"x".repeat(10)}\r\nb\r\n${"y".repeat(11)}\r\n0\r\n\r\n`).body).toHaveLength(
      21,
    );
  });

  it("a chunked body is read without any chunk", () => {
    expect(read(CHUNKED, "0\r\n\r\n")).toMatchObject({ body: "", ended: true });
  });

  it.each([1, 5, 1_000])("a chunked body is read with trailers, in pieces of %i bytes", (size) => {
    const got = read(CHUNKED, "1\r\na\r\n0\r\nX-Sum: 1\r\nX-Two: 2\r\n\r\n", size);
    expect(got).toMatchObject({ ended: true, trailers: "X-Sum: 1\r\nX-Two: 2\r\n" });
  });

  it("a chunked body loses the trailers Content-Length and Host, which would change its framing or routing", () => {
    const got = read(CHUNKED, "0\r\nContent-Length: 5\r\nX-Sum: 1\r\nHost: b\r\n\r\n");
    expect(got.trailers).toBe("X-Sum: 1\r\n");
  });

  it.each([
    "X-Forwarded-For",
    "x_real_ip",
    "Forwarded",
    "Cookie",
    "X-Captcha-Result",
    "X-Consumer-Username",
    "Proxy",
  ])("a chunked body loses the trailer %s, which only a header may convey to the upstream", (name) => {
    const got = read(CHUNKED, `0\r\nX-Sum: 1\r\n${name}: forged\r\n\r\n`);
    expect(got.trailers).toBe("X-Sum: 1\r\n");
  });

  it("a chunked body keeps line ends inside of its chunks", () => {
    expect(read(CHUNKED, "6\r\n\r\n0\r\n\r\r\n0\r\n\r\n").body).toBe("\r\n0\r\n\r");
  });
});

describe("chunked bodies that are rejected", () => {
  it.each([
    ["no size", "\r\n"],
    ["extension without a size", ";a\r\n"],
    ["plus sign", "+1\r\na\r\n"],
    ["minus sign", "-1\r\na\r\n"],
    ["0x", "0x1\r\na\r\n"],
    ["blank before the size", " 1\r\na\r\n"],
    ["blank behind the size", "1 \r\na\r\n"],
    ["tab behind the size", "1\t\r\na\r\n"],
    ["underscore in the size", "1_0\r\n"],
    ["letter g", "g\r\n"],
    ["NUL", "1\0\r\n"],
    ["bare LF behind the size", "1\na\r\n"],
    ["bare CR behind the size", "1\ra\r\n"],
    ["size beyond 2^53", "20000000000000\r\n"],
    ["size of seventeen digits", "00000000000000001\r\n"],
    ["bare LF in an extension", "1;a\nb\r\n"],
    ["bare CR in an extension", "1;a\rb\r\n"],
    ["NUL in an extension", "1;\0\r\n"],
    ["chunk longer than its size", "1\r\nab\r\n"],
    ["chunk ended by LF", "1\r\na\n"],
    ["chunk ended by CR and another byte", "1\r\na\rb"],
    ["bare LF in the trailers", "0\r\nA: b\n\r\n\r\n"],
    ["folded trailer", "0\r\nA: b\r\n c\r\n\r\n"],
    ["blank before the colon of a trailer", "0\r\nA : b\r\n\r\n"],
    ["trailer without a colon", "0\r\nA\r\n\r\n"],
    ["bare CR behind the last chunk", "0\r\n\rX: y\r\n\r\n"],
  ])("a chunked body is rejected with 400: %s", (_, text) => {
    expect(refusal(text)).toMatchObject({ status: 400 });
  });

  it("a chunked body is rejected with 400 if an extension is longer than the limit", () => {
    expect(refusal(`1;${"a".repeat(11)}\r\n`, { chunkExtensionBytes: 10 })).toMatchObject({ status: 400 });
    expect(read(CHUNKED, `1;${"a".repeat(9)}\r\na\r\n0\r\n\r\n`, 1, { chunkExtensionBytes: 10 }).ended).toBe(
      true,
    );
  });

  it("a chunked body is rejected with 431 if its trailers are longer than the limit", () => {
    expect(refusal(`0\r\nA: ${"a".repeat(30)}\r\n\r\n`, { trailerBytes: 20 })).toMatchObject({ status: 431 });
  });

  it("a chunked body is rejected with 413 if it is longer than the limit", () => {
    expect(refusal("5\r\nhello\r\n6\r\n", { bodyBytes: 4 })).toMatchObject({ status: 413 });
  });
});

describe("bodies with a length", () => {
  it.each([1, 3, 100])("a body with a length ends at the length, in pieces of %i bytes", (size) => {
    expect(read({ kind: "length", length: 5 }, "helloGET /", size)).toMatchObject({
      body: "hello",
      ended: true,
      rest: "GET /",
    });
  });

  it("a body with a length knows its remaining bytes and is incomplete when the connection ends early", () => {
    const decoder = new BodyDecoder({ kind: "length", length: 5 }, DEFAULT_LIMITS, {
      data: () => false,
      end: () => {},
    });
    decoder.feed(Buffer.from("he"), 0, 2);
    expect(decoder.remaining).toBe(3);
    expect(decoder.connectionEnded()).toBe(false);
  });
});

describe("bodies that end with the connection", () => {
  it("a body without a length takes everything and ends with the connection", () => {
    let ended = false;
    const decoder = new BodyDecoder({ kind: "close" }, DEFAULT_LIMITS, {
      data: () => false,
      end: () => {
        ended = true;
      },
    });
    expect(decoder.feed(Buffer.from("abc"), 0, 3)).toBe(3);
    expect(ended).toBe(false);
    expect(decoder.connectionEnded()).toBe(true);
    expect(ended).toBe(true);
  });
});
