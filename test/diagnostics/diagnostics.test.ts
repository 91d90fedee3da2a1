// Each case prints what `gwc check` prints. `UPDATE=1` writes the expected texts anew.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../compiler/diagnostics/catalogue/index.js";
import { CASES, caseNames, runCase } from "./cases.js";

const TESTS = fileURLToPath(new URL("../", import.meta.url));
const update = process.env["UPDATE"] === "1";

describe("diagnostics", () => {
  it.each(caseNames())("%s", (name) => {
    const printed = runCase(name);
    const path = join(CASES, `${name}.out`);
    if (update) writeFileSync(path, printed);
    const code = /^GW\d{4}/.exec(name)?.[0];
    if (code !== undefined) expect(printed).toContain(` ${code}: `);
    expect(printed, "every hole of a wording is filled").not.toMatch(/(?<!\$)\{[a-z][A-Za-z]*\}(?! )/);
    expect(printed).toBe(existsSync(path) ? readFileSync(path, "utf8") : "");
  });

  it("has no expected text without a case", () => {
    const entries = readdirSync(CASES);
    const orphans = entries.filter(
      (entry) =>
        entry.endsWith(".out") && !entries.some((other) => other !== entry && stem(other) === stem(entry)),
    );
    expect(orphans).toEqual([]);
  });

  it("has a case, or where no configuration can show it another test, for every code of the catalogue", () => {
    const shown = new Set(caseNames().map((name) => name.slice(0, 6)));
    const others = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?:unit|e2e)\/.*\.test\.ts$/.test(path))
      .map((path) => readFileSync(join(TESTS, path), "utf8"))
      .join("\n");
    const missing = Object.keys(CATALOGUE).filter(
      (code) => !shown.has(code) && !others.includes(`"${code}"`),
    );
    expect(missing).toEqual([]);
  });
});

function stem(entry: string): string {
  return entry.replace(/\.(?:yaml|json|out)$/, "");
}
