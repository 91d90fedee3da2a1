import "../../../plugins/index.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
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

  it("README.md contains the message of GW2107", () => {
    expect(read("README.md")).toContain('error GW2107: "filters" cannot be combined with "body"');
  });
});
