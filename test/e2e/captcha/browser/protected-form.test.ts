import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { captchaHarness } from "../../captcha-plugin/harness.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ siteKeys: { ipBinding: "prefix" } });
});
afterAll(() => harness?.close());

/** A site behind the gateway whose POSTs need a token of the service. */
async function behindGateway(): Promise<Visit> {
  const gateway = await captchaHarness({
    upstreamPort: harness.site.port,
    service: { url: harness.loopback, siteKey: KEYS.normal, apiKey: harness.apiKey },
  });
  const page = harness.site.page({
    head: `<script src="${harness.url}/captcha.js" async defer></script>`,
    body: `<form action="/submit" method="post"><label>Name <input name="name" value="Ada"></label>
      <div class="sp-captcha" data-sitekey="${KEYS.normal}" data-response-field data-language="en"></div><button>Send</button></form>`,
  });
  const visit = await harness.visit({ body: "" });
  await visit.page.goto(`http://site.localhost:${gateway.port}${new URL(page).pathname}`);
  return visit;
}

const WAYS: [string, (visit: Visit) => Promise<void>][] = [
  [
    "mouse",
    async (visit) => {
      await visit.tick();
      await visit.task.ready();
      await harness.solve(visit);
    },
  ],
  [
    "keyboard",
    async (visit) => {
      const keyboard = new Keyboard(visit);
      await visit.checkbox().waitFor();
      await visit.page.locator("input[name=name]").focus();
      await keyboard.tabTo("checkbox");
      await keyboard.press("Space");
      await visit.task.ready();
      await harness.solve(visit, (right) => keyboard.answer(right));
    },
  ],
  [
    "ear",
    async (visit) => {
      const keyboard = new Keyboard(visit);
      await visit.checkbox().waitFor();
      await visit.page.locator("input[name=name]").focus();
      await keyboard.tabTo("checkbox");
      await keyboard.press("Space");
      await visit.task.ready();
      await harness.untilNewTask(visit, () => keyboard.switchTo("audio"));
      await harness.solve(visit, (right) => keyboard.answer(right));
    },
  ],
];

describe.skipIf(WITHOUT_ENGINE)("a form behind widget, service and gateway", () => {
  it.each(WAYS)(
    "[C31] [C36] a form solved by %s arrives without the token, and its repetition is rejected",
    async (_, solve) => {
      const visit = await behindGateway();
      await solve(visit);
      await visit.untilVerified();
      const before = harness.site.received.length;
      const token = (await visit.field()) ?? "";
      expect(token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      await visit.page.getByRole("button", { name: "Send" }).click();
      await visit.page.waitForURL("**/submit");
      expect(harness.site.received.slice(before).map(({ body }) => body)).toEqual(["name=Ada"]);

      const again = await visit.page.request.post(visit.page.url().replace("site.localhost", "127.0.0.1"), {
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        data: new URLSearchParams({ name: "Ada", "captcha-token": token }).toString(),
      });
      expect(again.status()).toBe(403);
      expect(await again.json()).toMatchObject({ error: "captcha_invalid" });
      expect(harness.site.received).toHaveLength(before + 1);
      await visit.close();
    },
  );

  it("[C31] [C36] a form that the page copied with its box arrives once it is solved", async () => {
    const visit = await behindGateway();
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`{
      const form = document.forms[0];
      form.outerHTML = form.outerHTML;
      spCaptcha.render(".sp-captcha");
    }`);
    await visit.tick();
    await visit.task.ready();
    await harness.solve(visit);
    await visit.untilVerified();
    const before = harness.site.received.length;
    await visit.page.getByRole("button", { name: "Send" }).click();
    await visit.page.waitForURL("**/submit");
    expect(harness.site.received.slice(before).map(({ body }) => body)).toEqual(["name=Ada"]);
    await visit.close();
  });

  it("[C36] a form without a solved captcha is rejected", async () => {
    const visit = await behindGateway();
    await visit.checkbox().waitFor();
    const before = harness.site.received.length;
    const answer = visit.page.waitForResponse((response) => response.url().endsWith("/submit"));
    await visit.page.getByRole("button", { name: "Send" }).click();
    expect((await answer).status()).toBe(403);
    // Chromium never confirms the closing of a page that is just being replaced: 8 of 150 times.
    await visit.page.waitForURL("**/submit");
    expect(harness.site.received).toHaveLength(before);
    await visit.close();
  });
});
