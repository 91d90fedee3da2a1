import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field></div>`;
const tag = (attributes: string) => `<script src="{captcha}/captcha.js" ${attributes}></script>`;

describe.skipIf(WITHOUT_ENGINE)("containers on a page", () => {
  it("[C2] [C6] [A47] the script tag works with async, defer, both or neither, before and after the container", async () => {
    const pages = [
      { head: tag("async defer"), body: box },
      { head: tag("async"), body: box },
      { head: tag("defer"), body: box },
      { head: tag(""), body: box },
      { head: "", body: box + tag("async defer") },
      { head: "", body: tag("async defer") + box },
    ];
    for (const page of pages) {
      const visit = await harness.visit(page);
      await visit.checkbox().waitFor();
      expect(await visit.page.locator(".sp-captcha iframe").count()).toBe(1);
      await visit.close();
    }
  });

  it("[A47] a script that arrives after the page is complete finds the container", async () => {
    const visit = await harness.visit({ head: "", body: box });
    await visit.page.waitForFunction("document.readyState === 'complete'");
    await visit.page.evaluate(`{
      const script = document.createElement("script");
      script.src = "${harness.url}/captcha.js";
      document.head.append(script);
    }`);
    await visit.checkbox().waitFor();
    await visit.close();
  });

  it("[C3] [C5] the script makes one widget in each container, on every load, whatever other classes it has", async () => {
    const visit = await harness.visit({
      body: `${box}<div class="x sp-captcha y" data-sitekey="${KEYS.second}" data-response-field></div><div class="not-sp-captcha"></div>`,
    });
    for (const _ of ["first load", "second load"]) {
      await visit.checkbox(0).waitFor();
      await visit.checkbox(1).waitFor();
      expect(await visit.page.locator("iframe").count()).toBe(2);
      await visit.page.reload();
    }
    await visit.close();
  });

  it("[C4] [A49] a container in the head gets its widget in the body, where the parser moves it", async () => {
    const visit = await harness.visit({ head: tag("async defer") + box, body: "<p>Text</p>" });
    await visit.checkbox().waitFor();
    expect(await visit.page.locator("body > .sp-captcha").count()).toBe(1);
    await visit.close();
  });

  it("[A49] containers in shadow trees and templates are not rendered automatically", async () => {
    const inside = box.replaceAll('"', "'");
    const visit = await harness.visit({
      body: `${box}<div id="open"></div><div id="closed"></div><template>${box}</template>
        <script>for (const mode of ["open", "closed"]) document.getElementById(mode).attachShadow({ mode }).innerHTML = "${inside}";</script>`,
    });
    await visit.checkbox().waitFor();
    expect(visit.page.frames().filter((frame) => frame.url().startsWith(harness.url))).toHaveLength(1);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[C21] [C6] a widget starts with an unticked box, an empty field and no dialog", async () => {
    const visit = await harness.visit({ body: box });
    await visit.box().getByRole("checkbox", { checked: false }).waitFor();
    expect(await visit.field()).toBe("");
    expect(await visit.page.locator("dialog[open]").count()).toBe(0);
    await visit.close();
  });

  it("[C7] [H22] [W13] a container without a site key shows an error, and others still render", async () => {
    const visit = await harness.visit({
      body: `<script>callback("failed")</script>
        <div class="sp-captcha" data-response-field data-error-callback="failed"></div>${box}`,
    });
    await visit.checkbox(1).waitFor();
    expect(await visit.called("failed")).toMatchObject(["failed", { code: "missing_sitekey" }]);
    expect(await visit.container(0).innerText()).not.toBe("");
    await visit.close();
  });

  it("[H21] [A48] a second copy of the script and another version only warn", async () => {
    const visit = await harness.visit({ head: tag("async defer") + tag("async defer"), body: box });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = "${harness.url}/captcha.js?another=version";
      script.onload = resolve;
      document.head.append(script);
    })`);
    expect(await visit.page.locator("iframe").count()).toBe(1);
    expect(visit.console.filter((line) => line.startsWith("warning:"))).not.toEqual([]);
    await visit.close();
  });

  it("[H23] a later container is rendered with data-auto-observe and only then", async () => {
    for (const [attributes, expected] of [
      ["async defer data-auto-observe", 2],
      ["async defer", 1],
    ] as const) {
      const visit = await harness.visit({ head: tag(attributes), body: box });
      await visit.checkbox().waitFor();
      await visit.page.evaluate(`document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(box)})`);
      if (expected === 2) await visit.checkbox(1).waitFor();
      // An observer would have run after two painted frames.
      await visit.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      expect(await visit.page.locator("iframe").count()).toBe(expected);
      await visit.close();
    }
  });

  it("[C33] the script adds only the documented object to the page", async () => {
    const visit = await harness.visit({ head: "", body: box });
    const before = (await visit.page.evaluate("Object.getOwnPropertyNames(window)")) as string[];
    await visit.page.addScriptTag({ url: `${harness.url}/captcha.js` });
    await visit.checkbox().waitFor();
    const after = (await visit.page.evaluate("Object.getOwnPropertyNames(window)")) as string[];
    // Frames appear under their index, and the driver of Firefox has a name of its own.
    expect(after.filter((name) => !before.includes(name) && !/^(?:\d+|__pw_\w+)$/.test(name))).toEqual([
      "spCaptcha",
    ]);
    expect(await visit.page.evaluate("Object.keys(spCaptcha).sort()")).toEqual([
      "execute",
      "getResponse",
      "remove",
      "render",
      "reset",
    ]);
    await visit.close();
  });

  it("the frame has its final size in both box sizes", async () => {
    for (const [attribute, width, height] of [
      ["", 400, 74],
      ['data-size="compact"', 164, 144],
    ] as const) {
      const visit = await harness.visit({
        body: box.replace("data-response-field", `data-response-field ${attribute}`),
      });
      await visit.checkbox().waitFor();
      expect(await visit.page.locator("iframe").boundingBox()).toMatchObject({ width, height });
      await visit.close();
    }
  });
});
