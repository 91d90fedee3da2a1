import { describe, expect, it } from "vitest";
import { forAllMatches, linear, portable, re2, revived } from "../../../runtime/abi/text/linear.js";

const LONG = " ".repeat(100_000);

describe("a pattern on a linear engine", () => {
  const blanks = linear(/[\t-\r ]+(?=\n?$)/, 100, /[\t-\r ]+(?:$|(\n)$)/, [], [1]);

  it("is done with a text at once that stalls a backtracking one for seconds", () => {
    const started = process.cpuUsage();
    expect(blanks.test(`${LONG}x`)).toBe(false);
    // 17 s of backtracking; 8 ms here on a quiet machine.
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(2);
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
