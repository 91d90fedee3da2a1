import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base64, decodeUtf8, encodeUtf8, utf8 } from "../../../runtime/abi/text/bytes.js";

const bytes = fc.array(fc.integer({ min: 0, max: 255 })).map((codes) => String.fromCharCode(...codes));

describe("byte strings", () => {
  it("holds a text as its UTF-8 bytes", () => {
    expect(utf8("é€😀")).toBe("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    expect(utf8("plain")).toBe("plain");
  });

  it("decodes base64 to bytes", () => {
    expect(base64("AP+A")).toBe("\x00\xff\x80");
  });

  it("reads UTF-8 and writes it back", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeUtf8(utf8(text))).toBe(text);
        expect(encodeUtf8(text)).toBe(utf8(text));
      }),
    );
  });

  it("gives back every byte of a text that is not UTF-8", () => {
    fc.assert(
      fc.property(bytes, (text) => {
        expect(encodeUtf8(decodeUtf8(text))).toBe(text);
      }),
    );
    expect(encodeUtf8(decodeUtf8("a\xc3(\xa9\xed\xa0\x80\xf5"))).toBe("a\xc3(\xa9\xed\xa0\x80\xf5");
  });

  it("shows well-formed characters between broken bytes", () => {
    expect(decodeUtf8("\xffa\xc3\xa9\xc3")).toBe("\udcffaé\udcc3");
  });
});
