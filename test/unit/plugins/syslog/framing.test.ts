import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pieceSize, pieces } from "../../../../runtime/logging/stream/stream-sink.js";
import { truncated } from "../../../../runtime/logging/stream/udp-sink.js";

const KILOBYTE = 1024;
const payloads = (...texts: string[]) => texts.map((payload) => ({ payload }));

describe("messages on a stream", () => {
  it("syslog messages end in a newline each by default", () => {
    expect([...pieces(payloads("a", "bc"), "newline", 100)]).toEqual(["a\nbc\n"]);
  });

  it("octet counting puts the length before each syslog message (RFC 6587 section 3.4.1)", () => {
    expect([...pieces(payloads("a", "bc", "x".repeat(10)), "octet_counting", 100)]).toEqual([
      "1 a2 bc10 xxxxxxxxxx",
    ]);
  });

  it("syslog messages are sent in pieces of about the given size, and none is split", () => {
    expect([...pieces(payloads("aaaa", "bb", "cccccccc", "d"), "newline", 5)]).toEqual([
      "aaaa\n",
      "bb\ncccccccc\n",
      "d\n",
    ]);
  });

  it("an empty batch has no pieces", () => {
    expect([...pieces([], "newline", 5)]).toEqual([]);
  });

  it("[log.syslog.row6] the size of pieces is flush_limit within 64 KiB and 1 MiB, never above drop_limit", () => {
    const sizes = (flush: number, drop: number) => pieceSize(flush * KILOBYTE, drop * KILOBYTE) / KILOBYTE;
    expect(sizes(1, 1_048_576)).toBe(64);
    expect(sizes(100, 1_048_576)).toBe(100);
    expect(sizes(4096, 1_048_576)).toBe(1024);
    expect(sizes(1, 2)).toBe(2);
  });
});

describe("a message that is too long for a datagram", () => {
  it("a datagram is cut only before a character that would be incomplete", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(60), (text, max) => {
        const message = Buffer.from(text, "utf8").toString("latin1");
        const cut = truncated(message, max);
        const back = Buffer.from(cut, "latin1").toString("utf8");
        expect(message.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(Buffer.from(back, "utf8").toString("latin1")).toBe(cut);
        if (message.length > max) expect(cut.length).toBeGreaterThan(max - 4);
        else expect(cut).toBe(message);
      }),
    );
  });
});
