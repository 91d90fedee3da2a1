import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (attributes = "", key: string = KEYS.normal) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field ${attributes}></div>`;

/** Solves a task and removes the widget. */
async function useAndRemove(visit: Visit): Promise<void> {
  await visit.tick();
  await visit.task.ready();
  await harness.solve(visit);
  await visit.untilVerified();
  await visit.page.evaluate("document.querySelector('.sp-captcha').remove()");
  await visit.page.locator("iframe, dialog").first().waitFor({ state: "detached" });
}

const STRICT: [name: string, policy: string, head?: string][] = [
  [
    "nothing but the script, the frame and the form",
    "default-src 'none'; script-src {captcha}; frame-src {captcha}; form-action 'self'",
  ],
  [
    "nonce and strict-dynamic",
    "default-src 'none'; script-src 'nonce-bm9uY2U' 'strict-dynamic'; frame-src {captcha}; form-action 'self'",
    '<script nonce="bm9uY2U" src="{captcha}/captcha.js" async defer></script>',
  ],
  [
    "trusted types",
    "default-src 'none'; script-src {captcha}; frame-src {captcha}; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
];

/** Reports whether a violation is the widget's; browsers request favicons themselves. */
const isWidgets = (violation: string): boolean => !violation.includes("/favicon.ico");

describe.skipIf(WITHOUT_ENGINE)("pages with policies", () => {
  it.each(STRICT)(
    "[A64] [C65] a policy of %s allows the use and removal of the widget without a violation",
    async (_, policy, head) => {
      const before = harness.site.received.length;
      const visit = await harness.visit({
        ...(head === undefined ? {} : { head }),
        body: `<form action="/submit" method="post">${box()}</form>`,
        headers: { "Content-Security-Policy": `${policy}; report-uri /csp` },
      });
      await useAndRemove(visit);
      expect((await visit.violations()).filter(isWidgets)).toEqual([]);
      expect(
        visit.console.filter((line) => /content.security|trusted/i.test(line)).filter(isWidgets),
      ).toEqual([]);
      const reports = harness.site.received.slice(before).filter(({ path }) => path === "/csp");
      expect(reports.filter(({ body }) => isWidgets(body))).toEqual([]);
      expect(visit.errors.filter(isWidgets)).toEqual([]);
      await visit.close();
    },
  );

  it("[A65] a policy that allows only the script leads to frame_blocked with a message within 25 seconds", async () => {
    const visit = await harness.visit({
      body: box(),
      headers: { "Content-Security-Policy": "default-src 'none'; script-src {captcha}" },
    });
    const [, error] = (await visit.called("sp-captcha:error")) as [string, { code: string; message: string }];
    expect(error.code).toBe("frame_blocked");
    expect((await visit.container().innerText()).length).toBeGreaterThan(20);
    const elapsed = (await visit.page.evaluate("performance.now()")) as number;
    expect(elapsed).toBeLessThan(25_000);
    await visit.close();
  });

  it.each([
    ["COEP require-corp", { "Cross-Origin-Embedder-Policy": "require-corp" }],
    ["COEP credentialless", { "Cross-Origin-Embedder-Policy": "credentialless" }],
    ["COOP same-origin", { "Cross-Origin-Opener-Policy": "same-origin" }],
    [
      "both, an isolated page",
      { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" },
    ],
    ["Referrer-Policy no-referrer", { "Referrer-Policy": "no-referrer" }],
  ])("[A66] the widget is used and removed without errors in a page with %s", async (_, headers) => {
    const visit = await harness.visit({ body: box(), headers: headers as Record<string, string> });
    await useAndRemove(visit);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[A66] a sandboxed page works with scripts and its own origin, and shows a message without an origin", async () => {
    const inner = harness.site.page({
      head: `<script src="${harness.url}/captcha.js" async defer></script>`,
      body: box("", KEYS.low),
    });
    for (const [sandbox, works] of [
      ["allow-scripts allow-same-origin", true],
      ["allow-scripts", false],
    ] as const) {
      const visit = await harness.visit({
        head: "",
        body: `<iframe sandbox="${sandbox}" src="${inner}" width="500" height="600"></iframe>`,
      });
      const host = visit.page.locator("iframe").contentFrame();
      if (works) {
        const frame = host.locator(".sp-captcha iframe").contentFrame();
        await frame.getByRole("checkbox").click();
        await frame.getByRole("checkbox", { checked: true }).waitFor();
      } else {
        await expect.poll(() => host.locator(".sp-captcha").innerText()).toMatch(/\S{3}/);
        expect(await host.locator(".sp-captcha input").count()).toBe(0);
      }
      await visit.close();
    }
  });

  it("[A66] pages of file: and data: show a message and have no field", async () => {
    const folder = mkdtempSync(join(tmpdir(), "captcha-page-"));
    const page = `<!doctype html><meta charset="utf-8"><script src="${harness.url}/captcha.js" async defer></script>${box("", KEYS.low)}`;
    writeFileSync(join(folder, "page.html"), page);
    const blank = await harness.visit({ head: "", body: "" });
    for (const address of [
      pathToFileURL(join(folder, "page.html")).href,
      `data:text/html;charset=utf-8,${encodeURIComponent(page)}`,
    ]) {
      const tab = await blank.context.newPage();
      // Chromium blocks requests of data: pages to its own machine; from elsewhere the script would load.
      await tab.route("**/captcha.js", async (route) =>
        route.fulfill({
          contentType: "text/javascript",
          body: await (await harness.get("/captcha.js")).text(),
        }),
      );
      await tab.goto(address);
      await expect.poll(() => tab.locator(".sp-captcha").innerText()).toMatch(/\S{3}/);
      expect(await tab.locator(".sp-captcha input").count()).toBe(0);
      await tab.close();
    }
    await blank.close();
    rmSync(folder, { recursive: true });
  });
});
