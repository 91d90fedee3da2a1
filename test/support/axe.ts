import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe-core finds in a page or a frame as it stands: "rule: element, reason". It is put there by the debugger, which the page's own
 * policy does not bind. (`@axe-core/playwright` wants a newer Node.)
 * @param leaveOut rules that are not looked at
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
