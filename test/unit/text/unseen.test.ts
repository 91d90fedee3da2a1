import { describe, expect, it } from "vitest";
import { printable, replacingUnseen, visible } from "../../../runtime/abi/text/unseen.js";
import { filesBelow, read } from "../../architecture/sources.js";

/** Each kind that a terminal obeys or shows nothing of, at the ends of its ranges. */
const UNSEEN = Array.from(
  "\u0000\u0008\u000b\u001b\u001f\u007f\u009b\u009f\u061c\u200b\u200f\u2028\u202e\u2060\u2066\u2069\u206f\ufeff",
);

describe("unseen characters", () => {
  it.each(UNSEEN.map((character) => [character.charCodeAt(0).toString(16).padStart(4, "0"), character]))(
    "U+%s is shown as its number, or as one character in its place",
    (code, character) => {
      expect(visible(`a${character}b`)).toBe(`a\\u${code}b`);
      expect(replacingUnseen(`a${character}b`)).toBe("a\ufffdb");
      expect(printable(`a${character}b`)).toBe("a?b");
    },
  );

  it("a tab and the end of a line stay in a text, and are a question mark in what a gateway says", () => {
    expect(visible("a\tb\nc")).toBe("a\tb\nc");
    expect(replacingUnseen("a\tb\nc")).toBe("a\tb\nc");
    expect(printable("a\tb\nc")).toBe("a?b?c");
  });

  it("what a gateway says is cut at a whole character", () => {
    expect(printable("😀😀😀", 2)).toBe("😀…");
    expect(printable("😀😀", 2)).toBe("😀😀");
  });

  it("their class stands in one file", () => {
    const files = ["cli", "compiler", "plugins", "runtime"].flatMap((folder) =>
      [".ts", ".tsx"].flatMap((extension) => filesBelow(folder, extension)),
    );
    // HFS+ leaves other characters out of names of files.
    const own = ["runtime/abi/path-below.ts", "runtime/abi/text/unseen.ts"];
    expect(files.filter((file) => /\[[^\]\n]*u202e/i.test(read(file)))).toEqual(own);
    expect(files.filter((file) => /\\u000b-\\u001f/.test(read(file)))).toEqual(own.slice(1));
  });
});
