import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { box, drawn, FIRST, form, OBSERVING, ONE_BOX, settled, untilPassed } from "./living-page.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

/** Reuses the container as React does with `done ? <p className="done">…` of one type, or morphing does. */
const REUSE = `{
  window.element = ${FIRST};
  for (const name of ["data-sitekey", "data-response-field"]) element.removeAttribute(name);
  element.className = "done";
  element.textContent = "Done";
}`;
const BACK = `{
  element.textContent = "";
  element.dataset.sitekey = "${KEYS.low}";
  element.dataset.responseField = "";
  element.className = "sp-captcha";
}`;

describe.skipIf(WITHOUT_ENGINE)("elements that a page reuses", () => {
  it.each([false, true])(
    "an element that is no container any more keeps the page's content, with a token at that moment: %s",
    async (passed) => {
      const visit = await harness.visit({ body: form(box()) });
      await visit.checkbox().waitFor();
      if (passed) {
        await visit.tick();
        await visit.untilVerified();
      }
      await visit.page.evaluate(REUSE);
      await settled(visit);
      await visit.page.evaluate("document.forms[0].reset()");
      await settled(visit);
      expect(await visit.page.locator(".done").innerHTML()).toBe("Done");
      expect(await visit.page.evaluate("spCaptcha.getResponse()")).toBe("");
      expect(await visit.calls("sp-captcha:error")).toEqual([]);
      await visit.close();
    },
  );

  it("an element that stops being a container at a task ends the task", async () => {
    const visit = await harness.visit({ body: form(box("", KEYS.normal)) });
    await visit.tick();
    await visit.task.ready();
    await visit.page.evaluate(REUSE);
    await visit.page.locator("dialog").waitFor({ state: "detached" });
    expect(await visit.page.locator(".done").innerHTML()).toBe("Done");
    await visit.close();
  });

  it("an element that becomes a container again is rendered by observation, each time", async () => {
    const visit = await harness.visit({ head: OBSERVING, body: form(box()) });
    await untilPassed(harness, visit);
    for (let time = 0; time < 2; time++) {
      await visit.page.evaluate(REUSE);
      await settled(visit);
      expect(await visit.page.locator(".done").innerHTML()).toBe("Done");
      await visit.page.evaluate(BACK);
      await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
      await untilPassed(harness, visit);
    }
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("content that replaced a token is no placeholder, nor is its copy", async () => {
    const visit = await harness.visit({
      head: OBSERVING,
      body: `<script>function thank() { calls.push(["thank"]); ${FIRST}.innerHTML = "<b>Thank you</b>"; }</script>
        <div class="sp-captcha" data-sitekey="${KEYS.low}" data-callback="thank"></div>`,
    });
    await visit.tick();
    await visit.called("thank");
    await settled(visit);
    for (const times of [2, 3]) {
      await visit.page.evaluate("document.body.replaceWith(document.body.cloneNode(true))");
      await visit.tick();
      await visit.called("thank", times);
      await settled(visit);
      expect(await visit.container().innerHTML()).toBe("<b>Thank you</b>");
      expect(await visit.page.evaluate(`spCaptcha.getResponse(${FIRST})`)).not.toBe("");
    }
    await visit.close();
  });
});

describe.skipIf(WITHOUT_ENGINE)("prerendered pages", () => {
  it("a prerendered page waits for its frames from the moment when it is shown", async () => {
    const visit = await harness.visit({
      body: `<script>
          callback("failed");
          // Minutes pass in no time while the page is not shown, and frames do not load.
          let prerendering = true;
          Object.defineProperty(document, "prerendering", { get: () => prerendering });
          const after = setTimeout;
          window.setTimeout = (call, ms, ...more) => after(call, prerendering ? 0 : ms, ...more);
          window.show = () => { prerendering = false; document.dispatchEvent(new Event("prerenderingchange")); };
          const { appendChild, append } = Element.prototype;
          window.held = [];
          Element.prototype.append = function (...all) {
            for (const one of all) if (prerendering && one.localName === "iframe") { held.push(one.src); one.removeAttribute("src"); }
            return append.apply(this, all);
          };
        </script>${form(box())}`,
    });
    await visit.page.waitForFunction("window.spCaptcha");
    for (let time = 0; time < 5; time++) await settled(visit);
    expect(await visit.calls("sp-captcha:error")).toEqual([]);
    await visit.page.evaluate(`{ show(); document.querySelector(".sp-captcha iframe").src = held.at(-1); }`);
    await untilPassed(harness, visit);
    expect(await visit.calls("sp-captcha:error")).toEqual([]);
    await visit.close();
  });
});
