import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field></div>`;

describe.skipIf(WITHOUT_ENGINE)("pages with other faults", () => {
  it("the visitor can leave the dialog when the box frame no longer responds", async () => {
    const visit = await harness.visit({ body: `<form>${box(KEYS.normal)}</form>` });
    await visit.tick();
    await visit.task.ready();
    for (const frame of visit.page.frames().filter((one) => one.url().includes("/f/v1/box")))
      await frame.evaluate("MessagePort.prototype.postMessage = () => {}");
    // The dimmed page beside the panel; the second press insists.
    for (let i = 0; i < 2; i++) {
      await visit.page.waitForTimeout(2_100);
      await visit.page.mouse.click(5, 5);
    }
    await expect.poll(() => visit.task.dialog.count()).toBe(0);
    expect(await visit.field()).toBe("");
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("the widget works on a page that extended all objects, arrays and strings", async () => {
    const visit = await harness.visit({
      body: `<script>
        for (const { prototype } of [Object, Array, String, Function, Element])
          prototype.addedByThePage = function () { return "x"; };
        Array.prototype.toJSON = function () { return "x"; };
      </script><form>${box()}</form>`,
    });
    await visit.tick();
    await visit.untilVerified();
    expect(await visit.field()).not.toBe("");
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
