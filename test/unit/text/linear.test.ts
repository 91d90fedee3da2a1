import { describe, expect, it, vi } from "vitest";
import { forAllMatches, linear, portable, re2, revived } from "../../../runtime/abi/text/linear.js";

const LONG = " ".repeat(100_000);

describe("a pattern on a linear engine", () => {
  const blanks = linear(/[\t-\r ]+(?=\n?$)/, 100, /[\t-\r ]+(?:$|(\n)$)/, [], [1]);

  it("a pattern with a linear form runs long texts on that form only", () => {
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
    // V8 does not show the flag l of a pattern, so the test reads it at construction.
    expect(forms).toEqual([["x+z", "lg", first]]);
    // The backtracking engine takes 17 s.
    expect(more.map((one) => (one as RegExp).source)).toEqual(["[\\t-\\r ]+(?:$|(\\n)$)"]);
  });

  it("a linear pattern keeps its engine for all matches and after a transfer to another thread", () => {
    for (const pattern of [
      forAllMatches(blanks),
      revived(structuredClone(portable(forAllMatches(blanks)))),
    ]) {
      expect(pattern.flags).toBe("g");
      expect(`a${LONG}`.replace(pattern, "")).toBe("a");
      expect(pattern.test(`${LONG}x`)).toBe(false);
    }
  });

  it("a re2 pattern with counts replaces all matches without the backtracking engine", () => {
    const counted = re2(/x{1,100}y/g, 0, "x{1,100}y");
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const replaced = "axxxyxy".replace(counted, "-");
    const { contexts } = exec.mock;
    exec.mockRestore();
    expect(replaced).toBe("a--");
    expect(contexts).not.toContain(counted);
  });
});
