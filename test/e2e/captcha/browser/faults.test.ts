import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewerInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (key: string = KEYS.low, attributes = "") =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="en" ${attributes}></div>`;
const json =
  (status: number, error: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({
        error,
        retryable: status !== 400,
        ...(status === 429 ? { retry_after_ms: 3000 } : {}),
      }),
    });
const STEPS = {
  session: "**/api/v1/session",
  score: "**/api/v1/score",
  task: "**/api/v1/task/next",
  answer: "**/api/v1/task/*/answer",
};
type Step = keyof typeof STEPS;

/** Walks to the step that is to fail. */
async function walkTo(visit: Visit, step: Step): Promise<void> {
  if (step === "session") return;
  await visit.tick();
  if (step === "answer") {
    await visit.task.ready();
    await visit.task.answer(harness.tasks.answer());
  }
}

/** Walks from a visible error to the token, with the means of the widget. */
async function retryToEnd(visit: Visit): Promise<void> {
  await visit.page.unrouteAll({ behavior: "ignoreErrors" });
  const retry = /again|retry/i;
  await expect
    .poll(async () => {
      for (const place of [visit.task.frame, visit.box()]) {
        const button = place.getByRole("button", { name: retry }).first();
        if (await button.isVisible().catch(() => false)) {
          await button.click().catch(() => undefined);
          return true;
        }
      }
      return (
        (await visit.page.locator("dialog[open]").count()) === 0 && !(await visit.checkbox().isDisabled())
      );
    })
    .toBe(true);
  await expect
    .poll(
      async () => {
        if ((await visit.field()) !== "") return true;
        if (await visit.task.submit.isVisible().catch(() => false))
          await visit.task.answer(harness.tasks.answer()).catch(() => undefined);
        else if ((await visit.task.dialog.count()) === 0)
          await visit
            .checkbox()
            .click({ timeout: 1000 })
            .catch(() => undefined);
        return (await visit.field()) !== "";
      },
      { interval: 300 },
    )
    .toBe(true);
}

describe.skipIf(WITHOUT_ENGINE)("errors in a browser", () => {
  it.each([
    ["invalid_sitekey", "no-such-site-key"],
    ["invalid_sitekey", KEYS.disabled],
    ["hostname_not_allowed", KEYS.elsewhere],
  ])(
    "[A51] [W13] [H3] [C66] %s is reported for the site key %s, in the callback, the event and the widget",
    async (code, key) => {
      const visit = await harness.visit({
        body: `<script>callback("failed")</script>${box(key, 'data-error-callback="failed"')}`,
      });
      const [, error] = await visit.called("failed");
      expect(error).toMatchObject({ code, message: expect.any(String), retryable: false });
      expect((await visit.called("sp-captcha:error"))[1]).toMatchObject({ code });
      await expect
        .poll(async () => (await visit.container().innerText()) + (await visit.says().catch(() => "")))
        .toMatch(/\S{3}/);
      expect(await visit.field()).toBe("");
      await visit.close();
    },
  );

  it("[A51] [H22] a container without a site key reports missing_sitekey", async () => {
    const visit = await harness.visit({
      body: '<div class="sp-captcha" data-response-field data-language="en"></div>',
    });
    expect((await visit.called("sp-captcha:error"))[1]).toMatchObject({
      code: "missing_sitekey",
      retryable: false,
    });
    await visit.close();
  });

  const faults: [name: string, code: string, fulfil: (route: Route) => Promise<void>][] = [
    ["the network is lost", "network_error", (route) => route.abort("internetdisconnected")],
    ["500", "service_unavailable", json(500, "internal_error")],
    ["503", "service_unavailable", json(503, "service_unavailable", { "Retry-After": "1" })],
    ["429 with Retry-After", "rate_limited", json(429, "rate_limited", { "Retry-After": "3" })],
  ];
  const cases = faults.flatMap(([name, code, fulfil]) =>
    (Object.keys(STEPS) as Step[]).map((step) => ({ name, code, fulfil, step })),
  );
  const kinds = fewerInFirefox(
    cases,
    ({ code, step }) => code === "network_error" || (code === "rate_limited" && step === "task"),
  );
  it.each(kinds)(
    '[A74] [H3] the fault "$name" at $step gets a code, and a retry leads to the token',
    // The jumping clock can overtake a step on a slow machine: once in some hundred cases.
    { retry: 1 },
    async ({ name, code, fulfil, step }) => {
      const key = step === "session" || step === "score" ? KEYS.low : KEYS.normal;
      const visit = await harness.visit({ body: box(key) }, {}, async ({ page }) => {
        await page.clock.install();
        await page.route(STEPS[step], fulfil);
      });
      await walkTo(visit, step).catch(() => undefined);
      // The widget's own retries wait 3, 6 and 12 seconds.
      await expect
        .poll(
          async () => {
            await visit.page.clock.fastForward(5000);
            return (await visit.calls("sp-captcha:error")).length;
          },
          { interval: 100 },
        )
        .toBeGreaterThan(0);
      const [, error] = (await visit.called("sp-captcha:error")) as [
        string,
        { code: string; retryable: boolean },
      ];
      const codes = name === "500" ? ["service_unavailable", "internal_error"] : [code];
      expect(codes).toContain(error.code);
      expect(error.retryable).toBe(true);
      await visit.page.clock.resume();
      const running = setInterval(() => visit.page.clock.fastForward(4000).catch(() => undefined), 500);
      await retryToEnd(visit).finally(() => clearInterval(running));
      await visit.close();
    },
  );

  it("[A74] a service that is silent for half a minute gets timeout, and a retry leads to the token", async () => {
    const visit = await harness.visit({ body: box() }, {}, async ({ page }) => {
      await page.clock.install();
      await page.route(STEPS.score, () => undefined);
    });
    await visit.tick();
    await visit.task.dialog.waitFor();
    await expect
      .poll(
        async () => {
          await visit.page.clock.fastForward(10_000);
          return (await visit.calls("sp-captcha:error")).map(([, error]) => (error as { code: string }).code);
        },
        { interval: 100 },
      )
      .toContain("timeout");
    await retryToEnd(visit);
    await visit.close();
  });

  it("[A74] a frame that cannot be loaded gets network_error and a button for a retry", async () => {
    const visit = await harness.visit({ body: box() }, {}, async ({ page }) => {
      await page.clock.install();
      await page.route("**/f/v1/box?*", (route) => route.abort("internetdisconnected"));
    });
    await expect
      .poll(
        async () => {
          await visit.page.clock.fastForward(5000);
          return (await visit.calls("sp-captcha:error")).length;
        },
        { interval: 100 },
      )
      .toBeGreaterThan(0);
    expect((await visit.called("sp-captcha:error"))[1]).toMatchObject({
      code: "network_error",
      retryable: true,
    });
    await visit.page.unrouteAll();
    await visit.container().getByRole("button").click();
    await visit.tick();
    await visit.untilVerified();
    await visit.close();
  });

  it("[A75] the page's own notice goes when the widget is drawn", async () => {
    const visit = await harness.visit({
      body: `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field><p>The check did not load.</p></div>`,
    });
    await visit.checkbox().waitFor();
    expect(await visit.page.getByText("did not load").count()).toBe(0);
    await visit.close();
  });

  it("[A75] the page's own notice stays while the script is blocked, and the form sends no token", async () => {
    const visit = await harness.visit(
      {
        body: `<form action="/submit" method="post"><div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field>
          <p>The check did not load: allow {captcha} in your blocker.</p></div><input name="name" value="Ada"><button>Send</button></form>`,
      },
      {},
      async ({ page }) => {
        await page.route("**/captcha.js", (route) => route.abort("blockedbyclient"));
      },
    );
    expect(await visit.container().innerText()).toContain("did not load");
    await visit.page.getByRole("button", { name: "Send" }).click();
    await visit.page.waitForURL("**/submit");
    expect(new URLSearchParams(harness.site.received.at(-1)?.body).get("captcha-token")).toBeNull();
    await visit.close();
  });
});
