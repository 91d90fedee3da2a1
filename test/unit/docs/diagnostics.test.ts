import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, read } from "../../architecture/sources.js";
import { testTitles } from "./test-titles.js";

const PAGE = "docs/decisions/0013-what-was-found-and-what-holds-it.md";

interface Holder {
  file: string;
  /** Empty for a case, whose file is the test. */
  title: string;
}

/** Returns the rows of all tables without heads: a bug and the tests that guard against it. */
function diagnostics(page: string): { found: string; holders: Holder[] }[] {
  return page
    .split("\n")
    .filter((line) => /^\| (?!what was wrong)/.test(line))
    .map((line) => {
      const [found = "", held = ""] = line.slice(2, -2).split(" | ");
      const holders = held.split("<br>").map((one) => {
        const [, file = one, title = ""] = /^`([^`]+)`(?: (.+))?$/.exec(one) ?? [];
        return { file, title };
      });
      return { found, holders };
    });
}

const withoutIds = (title: string) => title.replace(/^(?:\[[^\]]+\] )+/, "");

const known = new Map<string, Set<string>>();
function titlesOf(file: string): Set<string> {
  const titles = known.get(file) ?? new Set(testTitles(file).map(withoutIds));
  known.set(file, titles);
  return titles;
}

/** Returns the fault of a holder, or nothing if the holder exists. */
function fault({ file, title }: Holder): string[] {
  if (!statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) return [`there is no ${file}`];
  if (!file.endsWith(".test.ts"))
    return title === "" ? [] : [`${file} is a case: it has no tests of its own`];
  if (titlesOf(file).has(title)) return [];
  return [`${file} has no test "${title}"`];
}

describe("the tables of bugs in decision 0013", () => {
  const all = diagnostics(read(PAGE));

  it("the tables of decision 0013 have more than 80 different rows", () => {
    expect(all.length).toBeGreaterThan(80);
    expect(new Set(all.map(({ found }) => found)).size).toBe(all.length);
  });

  it("the cases and tests that decision 0013 names exist", () => {
    expect(all.flatMap(({ holders }) => holders.flatMap(fault))).toEqual([]);
  });

  it("the check of decision 0013 reports a missing file, a renamed test and a row without tests", () => {
    const page =
      "| a | `test/none.test.ts` b |\n| c | `test/unit/docs/diagnostics.test.ts` renamed |\n| d |  |\n";
    expect(diagnostics(page).flatMap(({ holders }) => holders.flatMap(fault))).toEqual([
      "there is no test/none.test.ts",
      'test/unit/docs/diagnostics.test.ts has no test "renamed"',
      "there is no ",
    ]);
  });
});
