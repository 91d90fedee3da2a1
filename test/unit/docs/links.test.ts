import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../plugins/commands.js";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";
import { fencedBlocks } from "../../tools/plugin-docs.js";

const pages = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...filesBelow("docs", ".md"),
  ...filesBelow("plugins", ".md"),
];

/** Returns the anchor that GitHub gives a heading. */
const anchor = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function anchorsOf(page: string): Set<string> {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, "");
  const headings = Array.from(text.matchAll(/^#+ (.+)$/gm), (match) => anchor(match[1] ?? ""));
  return new Set([
    ...headings,
    ...Array.from(text.matchAll(/ (?:id|name)="([^"]+)"/g), (match) => match[1] ?? ""),
  ]);
}

it.each(pages)("every link of %s leads to an existing file and anchor", (page) => {
  const text = read(page)
    .replace(/^```[\s\S]*?^```/gm, "")
    .replace(/`[^`\n]*`/g, "");
  const broken = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), (match) => match[1] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", fragment] = target.split("#");
      const file = path === "" ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, file))) return true;
      return fragment !== undefined && file.endsWith(".md") && !anchorsOf(file).has(fragment);
    });
  expect(broken).toEqual([]);
});

it("every gwc command in the documentation exists", () => {
  const sources = ["gwc", "admin-commands", "build-commands"]
    .map((file) => read(`cli/${file}.ts`))
    .join("\n");
  const own = sources.matchAll(/\.command\("([a-z-]+)"\)/g);
  const known = new Set([
    ...Array.from(own, (match) => match[1] ?? ""),
    ...COMMANDS.map((contributed) => contributed.name),
  ]);
  const shown = pages
    .filter((page) => page !== "CHANGELOG.md")
    .flatMap((page) => {
      const text = read(page);
      const spans = Array.from(text.matchAll(/`((?:npx )?gwc [^`\n]+)`/g), (match) => match[1] ?? "");
      const lines = ["", "sh", "bash"]
        .flatMap((language) => fencedBlocks(text, language))
        .join("\n")
        .split("\n");
      return [...spans, ...lines].map((line) => /^(?:\$ )?(?:npx )?gwc ([a-z][a-z-]*)/.exec(line)?.[1]);
    });
  const used = [...new Set(shown.filter((command) => command !== undefined))];
  expect(used.length).toBeGreaterThan(8);
  expect(used.filter((command) => !known.has(command))).toEqual([]);
});
