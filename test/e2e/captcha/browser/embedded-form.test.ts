import type { Frame, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COVERED, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { type HostSite, startHostSite } from "./host-page.js";

let harness: Harness;
/** A site in `embed_hosts` of one key. */
let partner: HostSite;
let foreign: HostSite;
beforeAll(async () => {
  harness = await openHarness();
  partner = await startHostSite(harness.url, "partner.localhost");
  foreign = await startHostSite(harness.url, "foreign.localhost");
});
afterAll(async () => {
  await partner?.close();
  await foreign?.close();
  await harness?.close();
});

const box = (key: string, attributes = "data-response-field") =>
  `<div class="sp-captcha" data-sitekey="${key}" data-language="en" ${attributes}></div>`;
const form = (key: string) =>
  harness.site.page({ body: `<form action="/submit" method="post">${box(key)}<button>Send</button></form>` });
const framed = (site: HostSite, address: string) =>
  site.page({
    head: "",
    body: `<iframe src="${address}" width="420" height="640" style="border:0"></iframe>`,
  });

/** Opens a page with a form, perhaps in nested frames; `seen` collects errors of its widget. */
async function open(address: string, inner: string): Promise<{ page: Page; frame: Frame }> {
  const { context } = await harness.visit({ head: "", body: "" });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.addInitScript(
    "window.seen = []; document.addEventListener('sp-captcha:error', ({ detail }) => seen.push(detail.code))",
  );
  await page.goto(address);
  await expect.poll(() => page.frames().some((one) => one.url() === inner)).toBe(true);
  const frame = page.frames().find((one) => one.url() === inner) as Frame;
  await frame.waitForLoadState();
  return { page, frame };
}
const token = (frame: Frame) => frame.locator(".sp-captcha input").inputValue();
const refused = async (frame: Frame) => {
  await expect.poll(() => frame.evaluate("seen")).toEqual(["frame_blocked"]);
  expect(await token(frame)).toBe("");
};

describe.skipIf(WITHOUT_ENGINE)("a form in a page of another site", () => {
  it("[V11] a form works in a page of a host in embed_hosts, from the tick to the verified token", async () => {
    const inner = form(KEYS.embedded);
    const { page, frame } = await open(framed(partner, inner), inner);
    await frame.frameLocator(".sp-captcha iframe").getByRole("checkbox").click();
    await expect.poll(() => token(frame)).not.toBe("");
    const answer = await harness.verify(KEYS.embedded, await token(frame));
    // The token names the page with the form, not the one around it.
    expect(answer.body).toMatchObject({ success: true, hostname: "site.localhost" });
    expect(await frame.evaluate("seen")).toEqual([]);
    await page.context().close();
  });

  it("[V11] a form works in a page of a subdomain as well, and shows a task inside its own page", async () => {
    const inner = form(KEYS.embeddedTask);
    const below = framed(partner, inner).replace("partner.localhost", "www.partner.localhost");
    const { page, frame } = await open(below, inner);
    await frame.frameLocator(".sp-captcha iframe").getByRole("checkbox").click();
    const task = frame.frameLocator("dialog[open] iframe");
    await task.locator("main[aria-busy=false]").waitFor();
    await task.getByRole("button", { name: "Close" }).click();
    await frame.locator("dialog").waitFor({ state: "detached" });
    expect(await frame.evaluate("seen")).toEqual([]);
    await page.context().close();
  });

  it("[V11] a form is blocked in any other site, and in every site when its key names none", async () => {
    for (const [site, key] of [
      [foreign, KEYS.embedded],
      [partner, KEYS.low],
    ] as const) {
      const inner = form(key);
      const { page, frame } = await open(framed(site, inner), inner);
      await refused(frame);
      await page.context().close();
    }
  });

  it("[V11] a form is blocked when the named site's page is itself in a third site", async () => {
    const inner = form(KEYS.embedded);
    const { page, frame } = await open(framed(foreign, framed(partner, inner)), inner);
    await refused(frame);
    await page.context().close();
  });

  it("[V11] a page of a host in embed_hosts gets no widget itself, with or without a referrer", async () => {
    for (const head of ["", '<meta name="referrer" content="no-referrer">']) {
      const own = partner.page({
        head: `${head}<script src="${harness.url}/captcha.js" async defer></script>`,
        body: box(KEYS.embedded),
      });
      const { page, frame } = await open(own, own);
      await expect.poll(() => frame.evaluate("seen")).toEqual(["hostname_not_allowed"]);
      expect(await token(frame)).toBe("");
      await page.context().close();
    }
    // Without the loader and a referrer: the frame accepts only pages of the key's hosts.
    const bare = partner.page({
      head: "",
      body: `<iframe referrerpolicy="no-referrer" src="${harness.url}/f/v1/box?k=${KEYS.embedded}&id=w1"></iframe>
        <script>
          const { port1, port2 } = new MessageChannel();
          window.heard = [];
          port1.onmessage = ({ data }) => heard.push(data);
          document.querySelector("iframe").addEventListener("load", ({ target }) =>
            target.contentWindow.postMessage({ spc: 1, type: "init", id: "w1", cfg: {} }, "*", [port2]));
        </script>`,
    });
    const { page, frame } = await open(bare, bare);
    const checkbox = page.frameLocator("iframe").getByRole("checkbox");
    await checkbox.click();
    await page.waitForTimeout(1_000);
    expect(await frame.evaluate("heard")).toEqual([]);
    expect(await checkbox.isChecked()).toBe(false);
    const session = await harness.post("/api/v1/session", {
      site_key: KEYS.embedded,
      origin: partner.origin,
    });
    expect(session.body).toMatchObject({ error: "hostname_not_allowed" });
    await page.context().close();
  });

  it("[V11] a form that the named site fades is reported as covered in the telemetry", async () => {
    const inner = form(KEYS.embedded);
    const outer = framed(partner, inner);
    const { page, frame } = await open(outer, inner);
    const checkbox = frame.frameLocator(".sp-captcha iframe").getByRole("checkbox");
    await checkbox.waitFor();
    await page.evaluate("document.querySelector('iframe').style.opacity = '0.01'");
    await page.waitForTimeout(500);
    const scored = await harness.sent("/api/v1/score", () => checkbox.click());
    expect(scored).toMatchObject({ telemetry: { visible: COVERED } });
    await page.context().close();
  });

  it("[V11] the policy of the frame names the hosts of embed_hosts and no others", async () => {
    const policy = async (key: string) => {
      const { headers } = await harness.get(`/f/v1/box?k=${key}&id=w1`);
      return /frame-ancestors ([^;]*)/.exec(headers.get("content-security-policy") ?? "")?.[1]?.split(" ");
    };
    const own = ["http://site.localhost:*", "https://site.localhost:*"];
    const below = ["http://*.site.localhost:*", "https://*.site.localhost:*"];
    expect(await policy(KEYS.low)).toEqual([...own, ...below]);
    const both = [...own, ...below];
    expect(await policy(KEYS.embedded)).toEqual([
      ...both,
      ...both.map((one) => one.replace("site.", "partner.")),
    ]);
  });
});
