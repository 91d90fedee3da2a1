import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, read } from "../../architecture/sources.js";
import { testTitles } from "./test-titles.js";

const PAGE = "docs/decisions/0013-what-was-found-and-what-holds-it.md";

interface Holder {
  file: string;
  /** None for a case: the file is the test. */
  title: string;
}

/** Rows of all tables but their heads: what was found, and its holders. */
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

/** What is wrong with a holder; nothing when it is there. */
function fault({ file, title }: Holder): string[] {
  if (!statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile()) return [`there is no ${file}`];
  if (!file.endsWith(".test.ts"))
    return title === "" ? [] : [`${file} is a case: it has no tests of its own`];
  if (titlesOf(file).has(title)) return [];
  return [`${file} has no test "${title}"`];
}

describe("what was found", () => {
  const all = diagnostics(read(PAGE));

  it("is read from the tables", () => {
    expect(all.length).toBeGreaterThan(80);
    expect(new Set(all.map(({ found }) => found)).size).toBe(all.length);
  });

  it("is held by cases and tests that are there", () => {
    expect(all.flatMap(({ holders }) => holders.flatMap(fault))).toEqual([]);
  });

  it("would be missed: a file that is gone, a test that was renamed, a row without either", () => {
    const page =
      "| a | `test/none.test.ts` b |\n| c | `test/unit/docs/diagnostics.test.ts` renamed |\n| d |  |\n";
    expect(diagnostics(page).flatMap(({ holders }) => holders.flatMap(fault))).toEqual([
      "there is no test/none.test.ts",
      'test/unit/docs/diagnostics.test.ts has no test "renamed"',
      "there is no ",
    ]);
  });
});
