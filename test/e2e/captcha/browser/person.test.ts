import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../../support/browser.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  // People's browsers lack the mark of a driver. The rest of this browser is unchanged.
  harness = await openHarness({ args: ["--disable-blink-features=AutomationControlled"] });
});
afterAll(() => harness?.close());

const page = {
  body: `<p>A form</p><input name="name"><div class="sp-captcha" data-sitekey="${KEYS.normal}" data-response-field data-language="en"></div>`,
};

/** Opens a page with a user agent that is not headless. */
async function asPerson(scenario: { body: string } = page): Promise<Visit> {
  const version = harness.browser.version().split(".")[0];
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
  return harness.visit(scenario, { userAgent });
}

/** Moves to the box as a hand does: in an arc, slower at the end. */
async function moveToBox(visit: Visit): Promise<void> {
  const place = await visit.checkbox().boundingBox();
  if (!place) throw new Error("the checkbox has no place");
  const [x, y] = [place.x + place.width * 0.4, place.y + place.height * 0.6];
  for (let step = 0; step <= 24; step++) {
    const along = 1 - (1 - step / 24) ** 2;
    await visit.page.mouse.move(x + 180 * (1 - along), y + 120 * (1 - along) ** 2 + 14 * Math.sin(along * 3));
  }
}

describe.skipIf(WITHOUT_BROWSER)("browser without signs of a driver", () => {
  it("[C23] [C32] a visitor with a mouse is verified without a task", async () => {
    const visit = await asPerson();
    await visit.checkbox().waitFor();
    const given = harness.tasks.given.length;
    // People read before they tick: 0.8 s or more after the frame has loaded.
    await visit.page.waitForTimeout(900);
    await moveToBox(visit);
    await visit.page.mouse.down();
    await visit.page.waitForTimeout(60);
    await visit.page.mouse.up();
    await visit.untilVerified();
    expect(await visit.field()).not.toBe("");
    expect(harness.tasks.given).toHaveLength(given);
    await visit.close();
  });

  it("[V5] execute gets a token for the page's button without a task, reported as code without a tick", async () => {
    const body = `${page.body.replace("data-response-field", 'data-size="invisible"')}
      <button onclick="spCaptcha.execute().then((token) => calls.push(['token', token]))">Send</button>`;
    const visit = await asPerson({ body });
    await visit.page.waitForFunction("window.spCaptcha");
    const given = harness.tasks.given.length;
    const scored = visit.page.waitForRequest("**/api/v1/score");
    // At once: the page chooses the moment, and nobody reads a box first.
    await visit.page.getByRole("button", { name: "Send" }).click();
    const [, token] = await visit.called("token");
    expect(JSON.parse((await scored).postData() ?? "{}")).toMatchObject({
      telemetry: { activation: { kind: "code", trusted: false, samples: 0 }, visible: null },
      program: { state: "run" },
    });
    expect((await harness.verify(KEYS.normal, String(token))).body).toMatchObject({ success: true });
    expect(harness.tasks.given).toHaveLength(given);
    await visit.close();
  });

  it("[C23] a visitor with only a keyboard is verified without a task", async () => {
    const visit = await asPerson();
    await visit.checkbox().waitFor();
    const given = harness.tasks.given.length;
    await visit.page.locator("input[name=name]").focus();
    await visit.page.keyboard.type("Ada", { delay: 40 });
    await visit.page.waitForTimeout(800);
    await visit.page.keyboard.press("Tab");
    // The box is a frame of another process, which gets its focus later than a person's next key.
    await visit.box().locator("input:focus").waitFor();
    await visit.page.keyboard.press("Space", { delay: 60 });
    await visit.untilVerified();
    expect(harness.tasks.given).toHaveLength(given);
    await visit.close();
  });
});
