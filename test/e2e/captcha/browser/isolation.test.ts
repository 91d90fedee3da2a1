import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COVERED, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { type HostSite, startHostSite } from "./host-page.js";

let harness: Harness;
let foreign: HostSite;
beforeAll(async () => {
  harness = await openHarness();
  foreign = await startHostSite(harness.url, "foreign.localhost");
});
afterAll(async () => {
  await foreign?.close();
  await harness?.close();
});

const box = (key: string = KEYS.low, attributes = "") =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field ${attributes}></div>`;
/** Messages in the frames' form that an attacker would like to be accepted. */
const FORGED = [
  { spc: 1, type: "token", token: "a.b.c", ttl_ms: 300_000 },
  { spc: 1, type: "state", state: "verified" },
  { spc: 1, type: "init", id: "x", cfg: {} },
  { type: "token", token: "a.b.c", ttl_ms: 300_000 },
  '{"spc":1,"type":"token","token":"a.b.c"}',
  null,
];

describe.skipIf(WITHOUT_ENGINE)("isolation of page and frames", () => {
  it("[A67] [W10] messages from the page, a sibling frame and a popup change nothing, with or without ports", async () => {
    const sibling = harness.site.page({
      head: "",
      body: `<script>for (const message of ${JSON.stringify(FORGED)}) { parent.postMessage(message, "*"); parent.postMessage(message, "*", [new MessageChannel().port2]); }</script>`,
    });
    const visit = await harness.visit({ body: box() });
    await visit.checkbox().waitFor();
    await visit.page.evaluate(`(async () => {
      for (const message of ${JSON.stringify(FORGED)}) {
        window.postMessage(message, "*");
        window.dispatchEvent(new MessageEvent("message", { data: message, origin: "${harness.url}", source: window }));
        frames[0].postMessage(message, "${harness.url}");
        frames[0].postMessage(message, "${harness.url}", [new MessageChannel().port2]);
      }
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(sibling)};
      const loaded = new Promise((done) => { frame.onload = done; });
      document.body.append(frame);
      await loaded;
    })()`);
    const popup = visit.context.waitForEvent("page");
    await visit.page.evaluate(`window.open(${JSON.stringify(sibling)}) && undefined`);
    const opened = await popup;
    await opened.waitForLoadState();
    await opened.evaluate(
      `for (const message of ${JSON.stringify(FORGED)}) window.opener.postMessage(message, "*")`,
    );
    // A page in the background is hidden, which is reported to the service.
    await opened.close();
    expect(await visit.field()).toBe("");
    expect(await visit.checkbox().isChecked()).toBe(false);
    expect(await visit.calls("sp-captcha:success")).toEqual([]);
    // The widget still works.
    await visit.tick();
    await visit.untilVerified();
    expect(await visit.field()).not.toBe("a.b.c");
    await visit.close();
  });

  it("[A67] a message from another window of the service's own origin is ignored", async () => {
    const visit = await harness.visit({
      body: `${box()}<iframe id="other" src="{captcha}/captcha.js"></iframe>`,
    });
    await visit.checkbox().waitFor();
    const other = visit.page.frames().find((frame) => frame.url() === `${harness.url}/captcha.js`);
    await other?.evaluate(
      `for (const message of ${JSON.stringify(FORGED)}) parent.postMessage(message, "*", [new MessageChannel().port2])`,
    );
    expect(other).toBeDefined();
    expect(await visit.field()).toBe("");
    expect(await visit.calls("sp-captcha:success")).toEqual([]);
    await visit.close();
  });

  it("[A67] a foreign site can neither frame the box of another's key nor get a session", async () => {
    const page = foreign.page({ body: box() });
    const visit = await harness.visit({ head: "", body: "" });
    const tab = await visit.context.newPage();
    await tab.addInitScript(
      "window.codes = []; document.addEventListener('sp-captcha:error', (event) => codes.push(event.detail.code))",
    );
    await tab.goto(page);
    await expect.poll(() => tab.evaluate("window.codes")).not.toEqual([]);
    expect(["hostname_not_allowed", "frame_blocked"]).toContain(
      ((await tab.evaluate("window.codes")) as string[])[0],
    );
    expect(await tab.locator(".sp-captcha input").inputValue()).toBe("");
    await visit.close();

    const refused = await harness.post("/api/v1/session", { site_key: KEYS.low, origin: foreign.origin });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.body).not.toHaveProperty("session");
  });

  it("[A67] the policy of the frame allows only the key's hosts around it", async () => {
    const answer = await harness.get(`/f/v1/box?k=${KEYS.low}&hl=ru&th=auto&id=x`);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/frame-ancestors [^;]*site\.localhost/);
    expect(policy).not.toMatch(/frame-ancestors[^;]* \*(?:;|$)/);
  });

  it("[A68] a click by a script is reported as untrusted, and brings a task but no token", async () => {
    const visit = await harness.visit({ body: box(KEYS.normal) });
    await visit.checkbox().waitFor();
    const reached = await visit.page.evaluate("document.querySelector('iframe').contentDocument === null");
    expect(reached).toBe(true);
    // The page's scripts cannot reach into the frame; a script inside it represents an extension.
    const scored = await harness.sent("/api/v1/score", () =>
      visit.checkbox().evaluate((element) => (element as unknown as { click(): void }).click()),
    );
    expect(scored).toMatchObject({ telemetry: { activation: { trusted: false } } });
    await visit.task.ready();
    expect(await visit.field()).toBe("");
    expect(await visit.calls("sp-captcha:success")).toEqual([]);
    await visit.close();
  });

  it("[A68] a box that the page makes transparent is reported to the service", async () => {
    const isSeen = async (style: string) => {
      const visit = await harness.visit({ body: `<div style="width:320px;${style}">${box()}</div>` });
      const sent = await harness.sent<{ telemetry: { visible?: unknown } }>("/api/v1/score", () =>
        visit.tick(),
      );
      await visit.untilVerified();
      await visit.close();
      return sent.telemetry.visible;
    };
    expect(await isSeen("opacity:0.01")).toBe(COVERED);
    expect(await isSeen("")).not.toBe(false);
  });
});
