// Each case prints the output of `gwc check`. `UPDATE=1` writes the expected texts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../compiler/diagnostics/catalogue/index.js";
import { CASES, caseNames, runCase } from "./cases.js";

const TESTS = fileURLToPath(new URL("../", import.meta.url));
const update = process.env["UPDATE"] === "1";

describe("diagnostics", () => {
  it.each(caseNames())("the case %s prints the expected diagnostics (UPDATE=1 writes them)", (name) => {
    const printed = runCase(name);
    const path = join(CASES, `${name}.out`);
    if (update) writeFileSync(path, printed);
    const code = /^GW\d{4}/.exec(name)?.[0];
    if (code !== undefined) expect(printed).toContain(` ${code}: `);
    expect(printed, "every hole of a wording is filled").not.toMatch(/(?<!\$)\{[a-z][A-Za-z]*\}(?! )/);
    expect(printed).toBe(existsSync(path) ? readFileSync(path, "utf8") : "");
  });

  it("every expected text has a case", () => {
    const entries = readdirSync(CASES);
    const orphans = entries.filter(
      (entry) =>
        entry.endsWith(".out") && !entries.some((other) => other !== entry && stem(other) === stem(entry)),
    );
    expect(orphans).toEqual([]);
  });

  it("every code of the catalogue has a case or is named by a unit or end-to-end test", () => {
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
