import { expect, it } from "vitest";
import { filesBelow, read } from "../../architecture/sources.js";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...filesBelow("docs", ".md"),
  ...filesBelow("plugins", ".md"),
  ...filesBelow("examples", ".md"),
];

/** Returns headings below the first level that are followed by another heading or the end of the page. */
function emptySections(text: string): string[] {
  const lines = text
    .replace(/^```[\s\S]*?^```/gm, "code")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.filter((line, i) => /^##+ /.test(line) && /^(?:#+ |$)/.test(lines[i + 1] ?? ""));
}

it("the check reports a heading before another heading and one at the end of a page", () => {
  expect(emptySections("# Page\n\n## One\n\n## Two\n\n```sh\n# no heading\n```\n\n### Three\n")).toEqual([
    "## One",
    "### Three",
  ]);
});

it.each(pages)("no section of %s is empty", (page) => {
  expect(emptySections(read(page))).toEqual([]);
});
