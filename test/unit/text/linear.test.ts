import { describe, expect, it, vi } from "vitest";
import { forAllMatches, linear, portable, re2, revived } from "../../../runtime/abi/text/linear.js";

const LONG = " ".repeat(100_000);

describe("a pattern on a linear engine", () => {
  const blanks = linear(/[\t-\r ]+(?=\n?$)/, 100, /[\t-\r ]+(?:$|(\n)$)/, [], [1]);

  it("runs a text there that stalls a backtracking one for seconds", () => {
    const forms: unknown[] = [];
    const construct = (target: RegExpConstructor, [source, flags]: [string, string]) => {
      const form = new target(source, flags);
      forms.push([source, flags, form]);
      return form;
    };
    vi.stubGlobal("RegExp", new Proxy(RegExp, { construct }));
    const pattern = linear(/x+y/, 100, /x+z/);
    vi.unstubAllGlobals();
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const found = [pattern.test(`${LONG}xz`), blanks.test(`${LONG}x`)];
    const [first, ...more] = exec.mock.contexts;
    exec.mockRestore();
    expect(found).toEqual([true, false]);
    // V8 does not tell the flag l of a pattern: it is seen where the pattern is made.
    expect(forms).toEqual([["x+z", "lg", first]]);
    // 17 s in the backtracking engine.
    expect(more.map((one) => (one as RegExp).source)).toEqual(["[\\t-\\r ]+(?:$|(\\n)$)"]);
  });

  it("keeps its engine for all matches, and on the way to another thread", () => {
    for (const pattern of [
      forAllMatches(blanks),
      revived(structuredClone(portable(forAllMatches(blanks)))),
    ]) {
      expect(pattern.flags).toBe("g");
      expect(`a${LONG}`.replace(pattern, "")).toBe("a");
      expect(pattern.test(`${LONG}x`)).toBe(false);
    }
  });

  it("runs counts that V8 does not on re2js", () => {
    const counted = re2(/x{1,100}y/g, 0, "x{1,100}y");
    expect("axxxyxy".replace(counted, "-")).toBe("a--");
  });
});
