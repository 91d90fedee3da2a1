import "../../../plugins/index.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { renderText } from "../../../compiler/report/text.js";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";
import { fencedBlocks, withTables } from "../../tools/plugin-docs.js";

const settings = [
  ...filesBelow("plugins", "README.md"),
  "docs/captcha/configuration.md",
  "docs/configuration.md",
];
const tabled = [...settings, "docs/security.md"];
const pages = [
  ...settings,
  "docs/logging.md",
  "docs/getting-started.md",
  "docs/recipes.md",
  "docs/operations.md",
  "docs/paths.md",
  "docs/diff.md",
  "README.md",
];

describe("documentation", () => {
  it.each(tabled)("the tables of %s are those of its schema (UPDATE=1 writes them)", (page) => {
    const text = read(page);
    const fresh = withTables(text);
    if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, page), fresh);
    else expect(text).toBe(fresh);
  });

  it.each(pages)("every configuration in %s compiles without a diagnostic", (page) => {
    const blocks = fencedBlocks(read(page), "yaml");
    for (const text of blocks) {
      const result = compile({ sources: [{ name: page, text, format: "yaml" }], environment: {} });
      expect(result.diagnostics, text).toEqual([]);
    }
    expect(blocks.length).toBeGreaterThan(0);
  });

  it("README.md shows what the compiler reports if body is added next to filters", () => {
    const page = read("README.md");
    const [configuration = ""] = fencedBlocks(page, "yaml");
    const text = configuration.replace(/^( +)filters:$/m, "$1body: x\n$&");
    const source = { name: "shop.yaml", text, format: "yaml" } as const;
    const { diagnostics } = compile({ sources: [source], environment: {} });
    expect(page).toContain(`\n${renderText(diagnostics, { sources: [source], color: false })}`);
  });
});
