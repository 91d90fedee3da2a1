import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe-core finds in the frames of the service: "rule: element". The frames' own policy allows no foreign script, so it is put
 * there by the debugger, which the policy does not bind. (`@axe-core/playwright` wants a newer Node.) The one rule that is left out is
 * for whole pages: the heading of the first level is the page's around the box.
 */
export async function axeViolations(page: Page, serviceUrl: string): Promise<string[]> {
  const frames = page.frames().filter((frame) => frame.url().startsWith(serviceUrl));
  const found = await Promise.all(frames.map((frame) => violationsIn(frame)));
  return found.flat();
}

async function violationsIn(frame: Frame): Promise<string[]> {
  if (frame.isDetached()) return [];
  await frame.evaluate(AXE);
  return frame.evaluate(`axe.run(document, { resultTypes: ["violations"], rules: { "page-has-heading-one": { enabled: false } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
}
