import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../architecture/sources.js";
import { IDS, type Shown, shownRequirements } from "./requirement-titles.js";

const PATH = join(ROOT, "docs/captcha/requirements.md");
const ROW = /^\| ([CHAWBTV]\d+) \| (.*?) \| ?(.*?) ?\|$/;

/** Returns at most three titles of an id; a search for the id finds the others. */
function cell(id: string, all: readonly Shown[]): string {
  const tests = all
    .filter(({ ids }) => ids.includes(id))
    .map(
      ({ file, title }) =>
        `\`${file.replace(/^test\//, "")}\` ${title.replaceAll("|", "\\|").replaceAll("<", "\\<")}`,
    )
    .sort();
  const more = tests.length > 3 ? `<br>and ${tests.length - 3} more` : "";
  return tests.slice(0, 3).join("<br>") + more;
}

describe("docs/captcha/requirements.md", () => {
  const text = readFileSync(PATH, "utf8");
  const all = shownRequirements();
  const made = text
    .split("\n")
    .map((line) => {
      const [, id, what] = ROW.exec(line) ?? [];
      return id === undefined ? line : `| ${id} | ${what} | ${cell(id, all)} |`;
    })
    .join("\n");

  it("the requirements page has every requirement once", () => {
    const rows = text.split("\n").flatMap((line) => ROW.exec(line)?.[1] ?? []);
    expect(rows).toEqual(IDS);
  });

  it("the titles of tests name no requirement that does not exist", () => {
    const unknown = all.filter(({ ids }) => ids.some((id) => !IDS.includes(id)));
    expect(unknown).toEqual([]);
  });

  it("the requirements page lists the titles of the tests (UPDATE=1 writes them)", () => {
    if (process.env["UPDATE"]) writeFileSync(PATH, made);
    else expect(text, "stale: UPDATE=1 writes it").toBe(made);
  });

  it("every requirement has a test", () => {
    const without = IDS.filter((id) => !all.some(({ ids }) => ids.includes(id)));
    expect(without).toEqual([]);
  });
});
