import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewerInFirefox, leftOutInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { box, drawn, FIRST, form, OBSERVING, ONE_BOX, settled, untilPassed } from "./living-page.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

/** Ways of a page to cache its content, each leaving a new or the same container with a copy in it. */
const COPIES: [way: string, script: string][] = [
  [
    "innerHTML of the form",
    `{ const form = document.forms[0]; const kept = form.innerHTML; form.innerHTML = ""; form.innerHTML = kept; }`,
  ],
  ["a clone of the container", `${FIRST}.replaceWith(${FIRST}.cloneNode(true))`],
  ["a clone of the body", "document.body.replaceWith(document.body.cloneNode(true))"],
  [
    "innerHTML put into a fresh container",
    `{ const old = ${FIRST}; const fresh = old.cloneNode(); fresh.innerHTML = old.innerHTML; old.replaceWith(fresh); }`,
  ],
];

const FEW = fewerInFirefox(COPIES, ([way]) => way.includes("form"));

describe.skipIf(WITHOUT_ENGINE)("containers that come back from a cache", () => {
  it.each(FEW)(
    "a cached container gets one box and one field without the old token by observation: %s",
    async (_, script) => {
      const visit = await harness.visit({ head: OBSERVING, body: form(box()) });
      await visit.tick();
      await visit.untilVerified();
      await visit.page.evaluate(script);
      await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
      await untilPassed(harness, visit);
      expect(await visit.page.locator("iframe").count()).toBe(1);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it.each(FEW)("a cached container gets one box and one field by render(): %s", async (_, script) => {
    const visit = await harness.visit({ body: form(box()) });
    await visit.tick();
    await visit.untilVerified();
    await visit.page.evaluate(`{ ${script}; window.widget = spCaptcha.render(${FIRST}); }`);
    expect(await drawn(visit)).toEqual(ONE_BOX);
    await untilPassed(harness, visit);
    expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toBe(await visit.field());
    await visit.close();
  });

  it("a page that was rendered before it was sent loses placeholder, dead frame, used token and dialog", async () => {
    const visit = await harness.visit({
      body: `${form(
        box(`<noscript>No scripts</noscript> <p>This form needs scripts.</p>
        <input id="kept" type="text" name="captcha-token" value="a.b.c" disabled><iframe src="{captcha}/f/v1/box?k=${KEYS.low}&id=w1"></iframe>`),
      )}
        <dialog open data-sp-captcha="" style="position:fixed;inset:0;display:flex"></dialog>`,
    });
    await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
    await untilPassed(harness, visit);
    expect(await visit.page.locator("#kept").inputValue()).toBe(await visit.field());
    expect(await visit.page.locator("dialog").count()).toBe(0);
    await visit.close();
  });

  it("a page that was cached with its dialog open has no dialog, and the box works", async () => {
    const visit = await harness.visit({ head: OBSERVING, body: form(box("", KEYS.normal)) });
    await visit.tick();
    await visit.task.ready();
    await visit.page.evaluate(
      "{ const kept = document.body.cloneNode(true); document.body.replaceWith(kept); }",
    );
    await expect.poll(() => visit.page.locator("dialog").count()).toBe(0);
    await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
    await visit.tick();
    await visit.task.ready();
    await harness.solve(visit);
    await visit.close();
  });

  it("a placeholder that a later update puts into a copy is removed, also with a token in the box", async () => {
    const visit = await harness.visit({ head: OBSERVING, body: form(box("<p>Loading</p>")) });
    await visit.checkbox().waitFor();
    await visit.page.evaluate("document.body.replaceWith(document.body.cloneNode(true))");
    await untilPassed(harness, visit);
    await visit.page.evaluate(`${FIRST}.innerHTML = "<p>Loading</p>"`);
    await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
    await untilPassed(harness, visit);
    await visit.close();
  });

  it("a container is rendered when the parser has left it, with all of its content gone", async () => {
    const visit = await harness.visit({
      head: "",
      body: `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field><script src="{captcha}/captcha.js" data-auto-observe></script>
        <p>Placeholder</p><input name="captcha-token" value="a.b.c"></div>`,
    });
    await expect.poll(() => drawn(visit)).toEqual({ ...ONE_BOX, sent: [] });
    await visit.checkbox().waitFor();
    await visit.close();
  });
});

describe.skipIf(WITHOUT_ENGINE)("containers that move", () => {
  it("a container that is moved at a task ends the task and starts again", async () => {
    const visit = await harness.visit({ body: `${box("", KEYS.normal)}<div id="elsewhere"></div>` });
    await visit.tick();
    await visit.task.ready();
    await visit.page.evaluate(`document.getElementById("elsewhere").append(${FIRST})`);
    await visit.page.locator("dialog").waitFor({ state: "detached" });
    await visit.box().getByRole("checkbox", { checked: false }).waitFor();
    expect(await drawn(visit)).toMatchObject({ elements: ["iframe", "input"] });
    await visit.close();
  });

  it("a container outside of the document loses its token without an event, and works when it returns", async () => {
    const visit = await harness.visit({ body: '<div id="place"></div>' });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate(`{
      window.place = document.getElementById("place");
      window.widget = spCaptcha.render(place, { sitekey: "${KEYS.low}", "response-field": true });
    }`);
    const checkbox = visit.page.locator("#place iframe").contentFrame().getByRole("checkbox");
    await checkbox.click();
    await visit.called("sp-captcha:success");
    await visit.page.evaluate("place.remove()");
    expect(await visit.page.evaluate("spCaptcha.getResponse(place)")).toBe("");
    await visit.page.evaluate("place.innerHTML = ''");
    await visit.page.evaluate("document.body.append(place)");
    await checkbox.click();
    await visit.called("sp-captcha:success", 2);
    expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toBe(
      await visit.page.locator("#place input").inputValue(),
    );
    expect(await visit.page.locator("#place > *").count()).toBe(2);
    expect((await visit.calls()).map(([name]) => name)).not.toContain("sp-captcha:expired");
    await visit.close();
  });

  it("a container in shadow trees notices form reset, emptying and removal at a task", async () => {
    const visit = await harness.visit({ body: '<div id="host"></div>' });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate(`{
      const outer = document.getElementById("host").attachShadow({ mode: "open" });
      outer.innerHTML = "<div></div>";
      window.inner = outer.firstChild.attachShadow({ mode: "open" });
      inner.innerHTML = '<form><div class="place"></div></form>';
      window.place = inner.querySelector(".place");
      window.widget = spCaptcha.render(place, { sitekey: "${KEYS.low}", "response-field": true });
    }`);
    const checkbox = (checked?: boolean) =>
      visit.page
        .locator(".place iframe")
        .contentFrame()
        .getByRole("checkbox", checked === undefined ? {} : { checked });
    await checkbox().click();
    await visit.called("sp-captcha:success");
    await visit.page.evaluate("inner.querySelector('form').reset()");
    await checkbox(false).waitFor();
    expect(await visit.page.evaluate("spCaptcha.getResponse(window.widget)")).toBe("");
    await visit.page.evaluate(`{ place.innerHTML = ""; place.dataset.x = "1"; }`);
    await checkbox().click();
    await visit.called("sp-captcha:success", 2);
    await visit.page.evaluate(`{
      place.innerHTML = "";
      spCaptcha.render(place, { sitekey: "${KEYS.normal}", "response-field": true });
    }`);
    await checkbox().click();
    await visit.task.ready();
    await visit.page.evaluate("place.remove()");
    await visit.page.locator("dialog").waitFor({ state: "detached" });
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("a form that is replaced as a whole gets its box by observation", async () => {
    const visit = await harness.visit({ head: OBSERVING, body: form(box()) });
    for (let time = 0; time < 3; time++) {
      await untilPassed(harness, visit);
      await visit.page.evaluate(
        `document.forms[0].outerHTML = ${JSON.stringify(form(box("<p>Loading</p>")))}`,
      );
      await expect.poll(() => drawn(visit)).toEqual(ONE_BOX);
    }
    await visit.close();
  });

  it("remove() is final for observation, until render()", async () => {
    const visit = await harness.visit({ head: OBSERVING, body: box() });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`spCaptcha.remove(${FIRST})`);
    await visit.page.evaluate("document.body.append('Text')");
    await settled(visit);
    expect(await visit.page.locator("iframe, input").count()).toBe(0);
    await visit.page.evaluate(`spCaptcha.render(${FIRST})`);
    await untilPassed(harness, visit);
    await visit.close();
  });

  it.skipIf(leftOutInFirefox("garbage is collected by the DevTools protocol"))(
    "removed, emptied and cancelled containers are garbage-collected",
    async () => {
      const visit = await harness.visit({
        head: OBSERVING,
        body: box() + box() + box() + box("", KEYS.normal),
      });
      for (const index of [0, 1, 2, 3]) await visit.checkbox(index).waitFor();
      await visit.tick(3);
      await visit.task.ready();
      await visit.page.evaluate(`{
        const all = [...document.querySelectorAll(".sp-captcha")];
        window.kept = all.map((container) => new WeakRef(container));
        all[1].innerHTML = "";
        spCaptcha.remove(all[2]);
        for (const container of all) container.remove();
      }`);
      // The browser itself keeps the element that was pointed at last.
      await visit.page.mouse.click(5, 5);
      const devtools = await visit.context.newCDPSession(visit.page);
      const left = async () => {
        await devtools.send("HeapProfiler.collectGarbage");
        return visit.page.evaluate("kept.flatMap((container, index) => (container.deref() ? [index] : []))");
      };
      await expect.poll(left).toEqual([]);
      expect(await visit.page.locator("dialog").count()).toBe(0);
      await visit.close();
    },
  );

  it("render, remove and render in one turn make one box whose callback is called once", async () => {
    const visit = await harness.visit({ body: `<script>callback("solved")</script><div id="place"></div>` });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate(`{
      const settings = { sitekey: "${KEYS.low}", "response-field": true, callback: "solved" };
      const place = document.getElementById("place");
      spCaptcha.remove(spCaptcha.render(place, settings));
      window.names = [spCaptcha.render(place, settings), spCaptcha.render(place, settings)];
    }`);
    expect(await visit.page.evaluate("names[0] === names[1]")).toBe(true);
    await visit.page.locator("#place iframe").contentFrame().getByRole("checkbox").click();
    await visit.called("solved");
    expect(await visit.page.locator("#place > *").count()).toBe(2);
    expect(await visit.calls("solved")).toHaveLength(1);
    expect(await visit.calls("sp-captcha:success")).toHaveLength(1);
    await visit.close();
  });
});
