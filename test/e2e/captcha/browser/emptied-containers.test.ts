import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewerInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { box, drawn, FIRST, form, ONE_BOX, settled, untilPassed } from "./living-page.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

describe.skipIf(WITHOUT_ENGINE)("containers that the page empties", () => {
  const EMPTYING: [way: string, script: string][] = [
    ["innerHTML = ''", `${FIRST}.innerHTML = ""`],
    ["replaceChildren()", `${FIRST}.replaceChildren()`],
    ["the placeholder put back", `${FIRST}.innerHTML = "<p>Loading</p>"`],
    ["innerHTML of itself", `${FIRST}.innerHTML += ""`],
    ["innerHTML of itself and a hint", `${FIRST}.innerHTML += "<p>Tick, please</p>"`],
    ["the field removed", `${FIRST}.querySelector("input").remove()`],
    [
      "taken out, emptied and put back",
      `{ const container = ${FIRST}; const next = container.nextSibling; const form = container.parentNode; container.remove(); container.innerHTML = ""; form.insertBefore(container, next); }`,
    ],
  ];

  it.each(fewerInFirefox(EMPTYING, ([way]) => way.includes("itself")))(
    "a container that the page changed is drawn again by observation from its start, with its id: %s",
    async (_, script) => {
      const visit = await harness.visit({ body: form(box("<p>Loading</p>")) });
      await visit.tick();
      await visit.untilVerified();
      await visit.page.evaluate(`window.widget = spCaptcha.render(${FIRST})`);
      await visit.page.evaluate(script);
      await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
      expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toBe("");
      await untilPassed(harness, visit);
      expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toBe(await visit.field());
      expect(await visit.calls("sp-captcha:success")).toHaveLength(2);
      expect(await visit.calls("sp-captcha:error")).toEqual([]);
      await visit.page.evaluate("spCaptcha.reset(window.widget)");
      await visit.box().getByRole("checkbox", { checked: false }).waitFor();
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it.each(fewerInFirefox(EMPTYING, ([way]) => way.includes("itself")))(
    "a container that the page changed is drawn again at once by render(), with the same id: %s",
    async (_, script) => {
      const visit = await harness.visit({ body: form(box("<p>Loading</p>")) });
      await visit.checkbox().waitFor();
      const names = await visit.page.evaluate(`(() => {
      const before = spCaptcha.render(${FIRST});
      ${script};
      return [before, spCaptcha.render(${FIRST})];
    })()`);
      expect(names).toEqual(["w1", "w1"]);
      expect(await drawn(visit)).toEqual(ONE_BOX);
      await untilPassed(harness, visit);
      await visit.close();
    },
  );

  it("a redraw uses the current attributes, and settings of a script until it gives others", async () => {
    const visit = await harness.visit({
      body: `<script>for (const name of ["first", "second"]) callback(name)</script>${box()}<div id="place"></div>`,
    });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`{
      ${FIRST}.dataset.responseFieldName = "proof";
      ${FIRST}.innerHTML = "";
      const place = document.getElementById("place");
      spCaptcha.render(place, { sitekey: "${KEYS.low}", callback: first });
      place.innerHTML = "";
    }`);
    const boxes = (place: string) => visit.page.locator(`${place} iframe`).contentFrame();
    await boxes("#place").getByRole("checkbox").click();
    await visit.called("first");
    await visit.page.evaluate(`{
      const place = document.getElementById("place");
      place.innerHTML = "";
      spCaptcha.render(place, { sitekey: "${KEYS.low}", callback: second });
    }`);
    await boxes("#place").getByRole("checkbox").click();
    await visit.called("second");
    expect(await visit.calls("first")).toHaveLength(1);
    expect(await visit.container().locator("input").getAttribute("name")).toBe("proof");
    await visit.close();
  });

  it("observation replaces foreign content of a box, except after a token is in the form", async () => {
    const visit = await harness.visit({ body: form(box()) });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`${FIRST}.querySelector("iframe").remove()`);
    await untilPassed(harness, visit);
    await visit.page.evaluate(`spCaptcha.reset(${FIRST})`);
    await visit.box().getByRole("checkbox", { checked: false }).waitFor();
    await visit.page.evaluate(`${FIRST}.innerHTML = "<p>Words of nobody before</p>"`);
    await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
    await visit.tick();
    await visit.untilVerified();
    const token = await visit.field();
    await visit.page.evaluate(`${FIRST}.querySelector("iframe").remove()`);
    await settled(visit);
    expect(await drawn(visit)).toEqual({ elements: ["input"], text: "", sent: [["captcha-token", token]] });
    await visit.close();
  });

  it("emptying one of two containers ends its task and leaves the other as it is", async () => {
    const visit = await harness.visit({ body: box("", KEYS.normal) + box() });
    await visit.tick(1);
    await visit.untilVerified(1);
    const token = await visit.container(1).locator("input").inputValue();
    await visit.tick(0);
    await visit.task.ready();
    await visit.page.evaluate(`${FIRST}.innerHTML = ""`);
    await visit.page.locator("dialog").waitFor({ state: "detached" });
    expect(await visit.container(1).locator("input").inputValue()).toBe(token);
    await visit.tick(0);
    await visit.task.ready();
    await harness.solve(visit);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("content that the page shows in callbacks stays: thanks beside a live token, and text about an error", async () => {
    const visit = await harness.visit({
      body: `<script>
        function thank(token) { calls.push(["thank"]); ${FIRST}.innerHTML = "<b>Thank you</b>"; }
        function explain({ code }) { calls.push(["explain", code]); document.querySelectorAll(".sp-captcha")[1].innerHTML = code; }
        function clear({ code }) { calls.push(["clear", code]); document.querySelectorAll(".sp-captcha")[2].innerHTML = ""; }
        </script>
        <div class="sp-captcha" data-sitekey="${KEYS.low}" data-callback="thank"></div>
        <div class="sp-captcha" data-sitekey="${KEYS.disabled}" data-response-field data-error-callback="explain"></div>
        <div class="sp-captcha" data-response-field data-error-callback="clear"></div>`,
    });
    await visit.tick();
    await visit.called("thank");
    await visit.called("explain");
    await visit.called("clear");
    // A change elsewhere in the page draws no box either.
    await visit.page.evaluate("document.body.append('Text')");
    await settled(visit);
    expect(await visit.container(0).innerHTML()).toBe("<b>Thank you</b>");
    expect(await visit.container(1).innerHTML()).toBe("invalid_sitekey");
    expect(await visit.container(2).innerHTML()).toBe("");
    expect(await visit.page.evaluate(`spCaptcha.getResponse(${FIRST})`)).not.toBe("");
    expect((await visit.calls()).map(([name]) => name).filter((name) => !name.startsWith("sp-"))).toEqual(
      expect.arrayContaining(["thank", "explain", "clear"]),
    );
    expect(await visit.calls("explain")).toHaveLength(1);
    expect(await visit.calls("clear")).toHaveLength(1);
    for (const [times, call] of [
      [2, "render"],
      [3, "reset"],
    ] as const) {
      await visit.page.evaluate(`spCaptcha.${call}(${FIRST})`);
      await visit.tick();
      await visit.called("thank", times);
      expect(await visit.container(0).innerHTML()).toBe("<b>Thank you</b>");
    }
    await visit.close();
  });

  it("a page that always removes the frame gets one error and stays alive", async () => {
    const visit = await harness.visit({
      body: `<script>
        callback("failed");
        new MutationObserver(() => { for (const frame of document.querySelectorAll("iframe")) { calls.push(["taken"]); frame.remove(); } })
          .observe(document, { childList: true, subtree: true });
      </script><div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field data-error-callback="failed"></div>`,
    });
    expect(await visit.called("failed")).toMatchObject(["failed", { code: "frame_blocked" }]);
    expect((await visit.calls("taken")).length).toBeLessThan(20);
    expect(await visit.container().innerText()).not.toBe("");
    expect(await visit.calls("failed")).toHaveLength(1);
    await visit.close();
  });

  it("an invisible widget is drawn again by execute(), and emptying it cancels a pending call", async () => {
    const visit = await harness.visit({
      body: `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-size="invisible" data-response-field></div>`,
    });
    await visit.page.waitForFunction("window.spCaptcha");
    const ended = await visit.page.evaluate(`(() => {
      const asked = spCaptcha.execute().catch(({ code }) => code);
      ${FIRST}.innerHTML = "";
      return asked;
    })()`);
    expect(ended).toBe("cancelled");
    const token = await visit.page.evaluate(
      `(() => { ${FIRST}.innerHTML = ""; return spCaptcha.execute(); })()`,
    );
    expect(await visit.field()).toBe(token);
    await visit.close();
  });
});

describe.skipIf(WITHOUT_ENGINE)("dialogs that the page changes", () => {
  const TAKING: [way: string, script: string][] = [
    ["removed", "document.querySelector('dialog').remove()"],
    ["emptied", "document.querySelector('dialog').innerHTML = ''"],
    ["its frame removed", "document.querySelector('dialog iframe').remove()"],
    ["moved", "document.body.prepend(document.querySelector('dialog'))"],
    ["closed", "document.querySelector('dialog').close()"],
  ];

  it.each(fewerInFirefox(TAKING, ([way]) => way === "removed" || way === "moved"))(
    "a dialog that the page changed ends its task, and the box can be ticked again: %s",
    async (_, script) => {
      const visit = await harness.visit({ body: box("", KEYS.normal) + box() });
      await visit.tick();
      await visit.task.ready();
      await visit.page.evaluate(script);
      await visit.called("sp-captcha:close");
      expect(await visit.page.locator("dialog").count()).toBe(0);
      await visit.box().getByRole("checkbox", { checked: false }).waitFor();
      // Another box uses the dialog next.
      await untilPassed(harness, visit, 1);
      await visit.tick();
      await visit.task.ready();
      await harness.solve(visit);
      expect(await visit.calls("sp-captcha:error")).toEqual([]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it("a dialog that is removed during the score resets the box", async () => {
    const visit = await harness.visit({ body: box() }, {}, async ({ page }) => {
      await page.route("**/api/v1/score", (route) =>
        setTimeout(() => void route.continue().catch(() => {}), 50),
      );
    });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`new MutationObserver((_, observer) => {
      const dialog = document.querySelector("dialog");
      if (dialog === null) return;
      observer.disconnect();
      dialog.remove();
    }).observe(document.body, { childList: true })`);
    await visit.tick();
    await visit.called("sp-captcha:close");
    await untilPassed(harness, visit);
    await visit.close();
  });

  it("a dialog that is removed at a task cancels execute()", async () => {
    const visit = await harness.visit({
      body: `<div class="sp-captcha" data-sitekey="${KEYS.normal}" data-size="invisible"></div>`,
    });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate("window.asked = spCaptcha.execute().catch(({ code }) => code); undefined");
    await visit.task.ready();
    await visit.page.evaluate("document.querySelector('dialog').remove()");
    expect(await visit.page.evaluate("window.asked")).toBe("cancelled");
    await visit.close();
  });
});
