import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { axeViolations } from "./axe.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";

const open: Harness[] = [];
const harnessOf = async (operator: { name: string; link: string | null }) => {
  const harness = await openHarness({ siteKeys: { operator } });
  open.push(harness);
  return harness;
};
afterAll(() => Promise.all(open.map((harness) => harness.close())));

const body = `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field data-language="en"></div>`;

describe.skipIf(WITHOUT_ENGINE)("operator of the site in the box", () => {
  let linked: Harness;
  beforeAll(async () => {
    linked = await harnessOf({ name: "Магазин «Ёлка» & Co.", link: "https://example.com/contact?a=1&b=2" });
  });

  it("[V10] the operator replaces the shield as a link that opens in a new page without opener and referrer", async () => {
    const visit = await linked.visit({ body });
    const link = visit.box().getByRole("link", { name: "Магазин «Ёлка» & Co." });
    await link.waitFor();
    expect(await visit.box().locator("svg").count()).toBe(0);
    expect(await link.getAttribute("href")).toBe("https://example.com/contact?a=1&b=2");
    const elsewhere = visit.context.waitForEvent("page");
    await visit.context.route("https://example.com/**", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: "<script>document.title = String(opener) + document.referrer</script>",
      }),
    );
    await link.click();
    const opened = await elsewhere;
    await expect.poll(() => opened.title()).toBe("null");
    // A page in the background is hidden, which is reported to the service.
    await opened.close();
    // The link does not belong to the checkbox.
    expect(await visit.checkbox().isChecked()).toBe(false);
    await visit.tick();
    await visit.untilVerified();
    await visit.close();
  });

  it("[V10] the link is reached by the keyboard after the checkbox, and axe-core finds no violation in it", async () => {
    for (const [theme, size] of [
      ["light", "normal"],
      ["dark", "compact"],
    ]) {
      const visit = await linked.visit({
        body: body.replace(
          "data-response-field",
          `data-response-field data-theme="${theme}" data-size="${size}"`,
        ),
      });
      await visit.checkbox().focus();
      await visit.page.keyboard.press("Tab");
      await visit.box().locator("a:focus").waitFor();
      expect(await axeViolations(visit.page, linked.url)).toEqual([]);
      await visit.close();
    }
  });

  it("[V10] markup in the operator's name stays text, and a link other than https is dropped", async () => {
    const harness = await harnessOf({
      name: "</script><img src=x onerror=a()>",
      link: "javascript:alert(1)",
    });
    const visit = await harness.visit({ body });
    await visit.box().getByText("</script><img src=x onerror=a()>").waitFor();
    expect(await visit.box().locator("img, a").count()).toBe(0);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });
});
