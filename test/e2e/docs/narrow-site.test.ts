import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../architecture/sources.js";
import { launchBrowser, WITHOUT_BROWSER } from "../../support/browser.js";

/** 360 px of a phone, and 320 px, at which WCAG 1.4.10 requires scrolling in one direction only. */
const WIDTHS = [360, 320];

/** Returns layout errors of the current page in words. */
function faultsOf(width: number): string[] {
  const faults: string[] = [];
  const inPage = ({ left, right }: DOMRect) => left >= -0.5 && right <= width + 0.5;
  const inside = (inner: DOMRect, outer: DOMRect) =>
    inner.top >= outer.top && inner.bottom <= outer.bottom && inner.right <= outer.right;
  const rect = (selector: string) =>
    document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
  if (document.documentElement.scrollWidth > width) faults.push("the page scrolls to the side");
  if (rect("main").width !== width) faults.push(`the text has ${rect("main").width} px`);
  if (!inside(rect("header .menu"), rect("header")))
    faults.push("the link to the pages is out of the header");
  for (const box of document.querySelectorAll("main *, nav *, header *")) {
    const scrolled = box.parentElement?.closest("table, pre");
    if (!scrolled && !inPage(box.getBoundingClientRect()))
      faults.push(`<${box.localName}> passes the edge: ${box.textContent?.slice(0, 60)}`);
    const { scrollWidth, clientWidth } = box;
    if (box.matches("table, pre") && scrollWidth > clientWidth && getComputedStyle(box).overflowX !== "auto")
      faults.push(`<${box.localName}> is cut`);
  }
  return faults;
}

describe.skipIf(WITHOUT_BROWSER)("the site of npm run docs on a phone", () => {
  const site = join(mkdtempSync(join(tmpdir(), "gwc-site-")), "site");
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    execFileSync(process.execPath, [join(ROOT, "docs/site/build.mjs"), site], { stdio: "pipe" });
    browser = await launchBrowser();
    page = await browser.newPage({ isMobile: true, hasTouch: true });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(dirname(site), { recursive: true, force: true });
  });

  it("every page of the docs site fits 360 and 320 px, with scroll bars for wide tables and code", async () => {
    const files = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".html"),
    );
    const faults: string[] = [];
    for (const file of files) {
      await page.goto(pathToFileURL(join(site, file)).href);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 740 });
        const found = await page.evaluate(faultsOf, width);
        faults.push(...found.map((fault) => `${file}, ${width} px: ${fault}`));
      }
    }
    expect(files.length).toBeGreaterThan(40);
    expect(faults).toEqual([]);
  });
});
