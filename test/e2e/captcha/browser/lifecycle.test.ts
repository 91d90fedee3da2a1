import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
});
afterAll(() => harness?.close());

const box = (key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field></div>`;
const form = (inside: string) =>
  `<form action="/submit" method="post">${inside}<input name="name"><button>Send</button></form>`;
const untilStart = (visit: Visit) => visit.box().getByRole("checkbox", { checked: false }).waitFor();

describe.skipIf(WITHOUT_ENGINE)("the life of a widget", () => {
  it("[A60] Back from the sent form finds an empty field and no response", async () => {
    const visit = await harness.visit({
      body: `<script>addEventListener("pageshow", (event) => calls.push(["pageshow", event.persisted]))</script>${form(box())}`,
    });
    await visit.tick();
    await visit.untilVerified();
    const address = visit.page.url();
    await visit.page.getByRole("button", { name: "Send" }).click();
    await visit.page.waitForURL("**/submit");
    await visit.page.evaluate("history.back()").catch(() => undefined);
    await expect.poll(() => visit.page.evaluate("location.href").catch(() => "")).toBe(address);
    await expect.poll(() => visit.calls("pageshow")).toContainEqual(["pageshow", true]);
    await expect
      .poll(() => visit.page.evaluate("document.querySelector('.sp-captcha input').value"))
      .toBe("");
    expect(
      await visit.page.evaluate("spCaptcha.getResponse(document.querySelector('.sp-captcha')) || ''"),
    ).toBe("");
    await visit.close();
  });

  it("[A61] [H24] a reset of the form and spCaptcha.reset bring the widget back to its start, and it can be solved again", async () => {
    const visit = await harness.visit({ body: form(box()) });
    const seen = new Set<string>();
    for (const reset of [
      "document.forms[0].reset()",
      "spCaptcha.reset(document.querySelector('.sp-captcha'))",
    ]) {
      await visit.tick();
      await visit.untilVerified();
      seen.add((await visit.field()) ?? "");
      await visit.page.evaluate(reset);
      await untilStart(visit);
      expect(await visit.field()).toBe("");
    }
    expect(seen.size).toBe(2);
    await visit.close();
  });

  it("[H24] spCaptcha renders a widget, returns its token and removes it", async () => {
    const visit = await harness.visit({ body: '<div id="place"></div>' });
    await visit.page.waitForFunction("window.spCaptcha");
    const rendered = `spCaptcha.render(document.getElementById("place"), { sitekey: "${KEYS.low}", "response-field": true })`;
    await visit.page.evaluate(`window.widget = ${rendered}`);
    const frame = visit.page.locator("#place iframe");
    await frame.contentFrame().getByRole("checkbox").click();
    await frame.contentFrame().getByRole("checkbox", { checked: true }).waitFor();
    expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+$/,
    );
    await visit.page.evaluate("spCaptcha.remove(window.widget)");
    expect(await visit.page.locator("iframe, #place input").count()).toBe(0);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[H24] spCaptcha.render with null as settings uses the attributes of the container", async () => {
    const body = `<div id="place" data-sitekey="${KEYS.low}" data-response-field></div>`;
    const visit = await harness.visit({ body });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate('spCaptcha.render("#place", null)');
    await visit.page.locator("#place iframe").contentFrame().getByRole("checkbox").waitFor();
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[A62] a container that is removed while scoring, at a task or verified leaves nothing behind", async () => {
    const stages: [string, string, (visit: Visit) => Promise<void>][] = [
      ["scoring", KEYS.low, (visit) => visit.task.dialog.waitFor()],
      ["task", KEYS.normal, (visit) => visit.task.ready()],
      ["verified", KEYS.low, (visit) => visit.untilVerified()],
    ];
    for (const [stage, key, reached] of stages) {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const visit = await harness.visit({ body: box(key) }, {}, async ({ page }) => {
        if (stage !== "scoring") return;
        await page.route("**/api/v1/score", async (route) => {
          await held;
          await route.continue().catch(() => undefined);
        });
      });
      await visit.tick();
      await reached(visit);
      await visit.page.evaluate("document.querySelector('.sp-captcha').remove()");
      release();
      await visit.page.locator("dialog, iframe").first().waitFor({ state: "detached" });
      expect(await visit.page.locator("dialog, iframe").count(), stage).toBe(0);
      // The page can be used: nothing is inert.
      expect(await visit.page.evaluate("document.querySelectorAll('[inert]').length"), stage).toBe(0);
      expect(visit.errors, stage).toEqual([]);
      await visit.close();
    }
  });

  it("[A63] a container that is moved in the page starts again", async () => {
    const visit = await harness.visit({ body: `${box()}<div id="elsewhere"></div>` });
    await visit.tick();
    await visit.untilVerified();
    await visit.page.evaluate(
      "document.getElementById('elsewhere').append(document.querySelector('.sp-captcha'))",
    );
    await untilStart(visit);
    expect(await visit.field()).toBe("");
    await visit.tick();
    await visit.untilVerified();
    expect(await visit.field()).not.toBe("");
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
