import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, decodeUtf8, encodeUtf8, utf8 } from "../../../runtime/abi/text/bytes.js";

const bytes = fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes));

describe("byte strings", () => {
  it("utf8 returns the bytes of a text as a byte string", () => {
    expect(utf8("é€😀")).toBe("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    expect(utf8("plain")).toBe("plain");
  });

  it("base64 decodes to a byte string", () => {
    expect(base64("AP+A")).toBe("\x00\xff\x80");
  });

  it("a text is the same after it was encoded as UTF-8 and decoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeUtf8(utf8(text))).toBe(text);
        expect(encodeUtf8(text)).toBe(utf8(text));
      }),
    );
  });

  it("bytes that are not UTF-8 are the same after decoding and encoding", () => {
    fc.assert(
      fc.property(bytes, (text) => {
        expect(encodeUtf8(decodeUtf8(text))).toBe(text);
      }),
    );
    expect(encodeUtf8(decodeUtf8("a\xc3(\xa9\xed\xa0\x80\xf5"))).toBe("a\xc3(\xa9\xed\xa0\x80\xf5");
  });

  it("decodeUtf8 returns valid characters between invalid bytes", () => {
    expect(decodeUtf8("\xffa\xc3\xa9\xc3")).toBe("\udcffaé\udcc3");
  });
});
