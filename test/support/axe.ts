import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Violations that axe-core finds in the current state of a page or frame: "rule: element, reason". The
 * debugger injects axe-core, because the policy of the page does not apply to the debugger.
 * (`@axe-core/playwright` needs a newer Node.)
 * @param leaveOut disabled rules
 */
export async function axeViolationsIn(
  document: Page | Frame,
  leaveOut: readonly string[] = [],
): Promise<string[]> {
  await document.evaluate(AXE);
  const rules = Object.fromEntries(leaveOut.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ resultTypes: ["violations"], rules });
  return document.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any }) => id + ": " + html.slice(0, 200) + " " + (any[0]?.message ?? "").slice(0, 120))))`);
}
