import { describe, expect, it } from "vitest";
import { printable, replacingUnseen, visible } from "../../../runtime/abi/text/unseen.js";
import { filesBelow, read } from "../../architecture/sources.js";

/** Ends of the ranges of characters that a terminal obeys or does not show. */
const UNSEEN = Array.from(
  "\u0000\u0008\u000b\u001b\u001f\u007f\u009b\u009f\u061c\u200b\u200f\u2028\u202e\u2060\u2066\u2069\u206f\ufeff",
);

describe("unseen characters", () => {
  it.each(UNSEEN.map((character) => [character.charCodeAt(0).toString(16).padStart(4, "0"), character]))(
    "the invisible character U+%s is shown as its number or as a replacement character",
    (code, character) => {
      expect(visible(`a${character}b`)).toBe(`a\\u${code}b`);
      expect(replacingUnseen(`a${character}b`)).toBe("a\ufffdb");
      expect(printable(`a${character}b`)).toBe("a?b");
    },
  );

  it("a tab and a line end stay as they are in a text and become question marks in printable", () => {
    expect(visible("a\tb\nc")).toBe("a\tb\nc");
    expect(replacingUnseen("a\tb\nc")).toBe("a\tb\nc");
    expect(printable("a\tb\nc")).toBe("a?b?c");
  });

  it("printable cuts a text at a whole character", () => {
    expect(printable("😀😀😀", 2)).toBe("😀…");
    expect(printable("😀😀", 2)).toBe("😀😀");
  });

  it("the class of invisible characters is written in one file, except for those of HFS+", () => {
    const files = ["cli", "compiler", "plugins", "runtime"].flatMap((folder) =>
      [".ts", ".tsx"].flatMap((extension) => filesBelow(folder, extension)),
    );
    // HFS+ ignores other characters in file names.
    const own = ["runtime/abi/regular-file.ts", "runtime/abi/text/unseen.ts"];
    expect(files.filter((file) => /\[[^\]\n]*u202e/i.test(read(file)))).toEqual(own);
    expect(files.filter((file) => /\\u000b-\\u001f/.test(read(file)))).toEqual(own.slice(1));
  });
});
