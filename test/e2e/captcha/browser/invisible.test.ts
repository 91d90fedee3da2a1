import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CANNOT, leftOutInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { rolesOfPage } from "./accessibility-tree.js";
import { axeViolations } from "./axe.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import { wrong } from "./task-dialog.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const unseen = (key: string = KEYS.low, attributes = "data-response-field") =>
  `<div class="sp-captcha" data-sitekey="${key}" data-size="invisible" data-language="en" ${attributes}></div>`;

/** Calls `execute` and records results as events named `outcome`, in the order in which the calls end. */
async function execute(visit: Visit, ...targets: string[]): Promise<void> {
  await visit.page.waitForFunction("window.spCaptcha");
  const start = (target: string) => `void spCaptcha.execute(${target}).then(
    (token) => calls.push(["outcome", { token }]),
    (error) => calls.push(["outcome", { code: error.code, message: error.message, retryable: error.retryable, isError: error instanceof Error }]),
  );`;
  await visit.page.evaluate((targets.length === 0 ? [""] : targets).map(start).join("\n"));
}
const outcome = async (visit: Visit, times = 1) =>
  (await visit.called("outcome", times))[1] as { token?: string; code?: string };
const outcomes = async (visit: Visit) => (await visit.calls("outcome")).map(([, said]) => said);
const remove = (visit: Visit) => visit.page.evaluate("document.querySelector('.sp-captcha').remove()");

describe.skipIf(WITHOUT_ENGINE)("a widget without a box", () => {
  it.skipIf(leftOutInFirefox(CANNOT.tree))(
    "[V1] an invisible widget shows nothing, takes neither room nor focus, and yields a token that verifies",
    async () => {
      const visit = await harness.visit({
        body: `<script>callback("done")</script><button>Before</button>${unseen(KEYS.low, 'data-callback="done"')}<button>After</button>`,
      });
      await execute(visit);
      const { token = "" } = await outcome(visit);
      expect((await harness.verify(KEYS.low, token)).body).toMatchObject({
        success: true,
        site_key: KEYS.low,
      });
      expect(await visit.calls("done")).toEqual([["done", token]]);
      expect(await visit.calls("sp-captcha:open")).toEqual([]);
      expect((await visit.container().boundingBox())?.height).toBe(0);
      const seen = await visit.page.evaluate("getComputedStyle(document.querySelector('iframe')).opacity");
      expect(seen).toBe("0");
      await visit.page.getByRole("button", { name: "Before" }).focus();
      await visit.page.keyboard.press("Tab");
      expect(await visit.page.evaluate("document.activeElement.textContent")).toBe("After");
      const roles = await rolesOfPage(visit);
      expect(roles).toContain("button");
      expect(roles.filter((role) => /frame/i.test(role))).toEqual([]);
      expect(await axeViolations(visit.page, harness.url)).toEqual([]);
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it("[V1] an invisible widget opens the dialog only for a task, and restores the focus", async () => {
    const visit = await harness.visit({ body: `<button id="send">Send</button>${unseen(KEYS.normal)}` });
    await visit.page.waitForFunction("window.spCaptcha");
    await visit.page.evaluate("document.getElementById('send').focus()");
    await execute(visit);
    await visit.task.ready();
    expect(await outcomes(visit)).toEqual([]);
    await harness.solve(visit);
    const { token = "" } = await outcome(visit);
    expect(await visit.field()).toBe(token);
    expect(await visit.task.dialog.count()).toBe(0);
    expect(await visit.page.evaluate("document.activeElement.id")).toBe("send");
    expect((await harness.verify(KEYS.normal, token)).body).toMatchObject({ success: true });
    await visit.close();
  });

  it("[V2] two simultaneous calls of execute wait for one token, and a later call gets another", async () => {
    const visit = await harness.visit({ body: unseen() });
    await execute(visit, "", "document.querySelector('.sp-captcha')");
    await outcome(visit, 2);
    const [first, second] = await outcomes(visit);
    expect(second).toEqual(first);
    await execute(visit);
    const third = await outcome(visit, 3);
    expect(third).toMatchObject({ token: expect.any(String) });
    expect(third).not.toEqual(first);
    expect(await visit.field()).toBe(third.token);
    await visit.close();
  });

  it("[V2] an expired token leaves an empty field, and the next call gets a new token", async () => {
    const visit = await harness.visit({ body: unseen() }, {}, ({ page }) => page.clock.install());
    await execute(visit);
    const { token } = await outcome(visit);
    await visit.page.clock.fastForward(300_000);
    await visit.called("sp-captcha:expired");
    expect(await visit.field()).toBe("");
    await visit.page.clock.resume();
    await execute(visit);
    expect((await outcome(visit, 2)).token).not.toBe(token);
    expect(await outcomes(visit)).toHaveLength(2);
    await visit.close();
  });

  it("[V3] execute fails as cancelled when the visitor closes, the page resets or the container goes", async () => {
    const ways: [string, (visit: Visit) => Promise<unknown>][] = [
      ["Escape", (visit) => new Keyboard(visit).escape()],
      ["button", (visit) => visit.task.button("close").click()],
      ["reset", (visit) => visit.page.evaluate("spCaptcha.reset()")],
      ["form", (visit) => visit.page.evaluate("document.forms[0].reset()")],
      ["removed", remove],
      ["taken away", (visit) => visit.page.evaluate("spCaptcha.remove()")],
    ];
    for (const [way, end] of ways) {
      const visit = await harness.visit({ body: `<form>${unseen(KEYS.normal)}<button>Send</button></form>` });
      await execute(visit);
      await visit.task.ready();
      await end(visit);
      expect(await outcome(visit), way).toMatchObject({ code: "cancelled", retryable: true, isError: true });
      await visit.task.dialog.waitFor({ state: "detached" });
      expect(await visit.calls("sp-captcha:error"), way).toEqual([]);
      expect(visit.errors, way).toEqual([]);
      if (way === "reset" || way === "Escape") {
        await execute(visit);
        await harness.solve(visit);
        expect(await outcome(visit, 2), way).toHaveProperty("token");
      }
      await visit.close();
    }
  });

  it.skipIf(leftOutInFirefox("five wrong answers take half a minute: flow.test.ts gives them"))(
    "[V3] execute fails as session_ended after five wrong answers, and may be called again",
    async () => {
      const visit = await harness.visit({ body: unseen(KEYS.normal) });
      await execute(visit);
      await visit.task.ready();
      for (let attempt = 0; attempt < 4; attempt++)
        await harness.untilNewTask(visit, () => visit.task.answer(wrong(harness.tasks.answer())));
      await visit.task.answer(wrong(harness.tasks.answer()));
      const again = visit.task.frame.getByRole("button", { name: "Start over" });
      await again.waitFor();
      await visit.task.still();
      await again.click();
      expect(await outcome(visit)).toMatchObject({
        code: "session_ended",
        message: "The check was cut short. Please try again.",
      });
      await execute(visit);
      await harness.solve(visit);
      expect(await outcome(visit, 2)).toHaveProperty("token");
      await visit.close();
    },
  );

  it("[V3] execute fails with the service's error, also in the error event, and works afterwards", async () => {
    const visit = await harness.visit({ body: unseen() }, {}, ({ page }) =>
      page.route("**/api/v1/score", (route) =>
        route.fulfill({ status: 503, json: { error: "service_unavailable", retryable: true } }),
      ),
    );
    await execute(visit);
    expect(await outcome(visit)).toMatchObject({ code: "service_unavailable", retryable: true });
    expect(await visit.calls("sp-captcha:error")).toHaveLength(1);
    await visit.page.unrouteAll();
    await execute(visit);
    expect(await outcome(visit, 2)).toHaveProperty("token");
    await visit.close();
  });

  it.each([
    ["an unknown site key", unseen("no-such-site-key"), "", "invalid_sitekey"],
    ["no site key", unseen(""), "", "missing_sitekey"],
    ["a widget with a box", unseen().replace("invisible", "normal"), "", "invalid_widget"],
    ["no widget", "", '"#nowhere"', "invalid_widget"],
  ])("[V3] execute rejects %s without showing anything", async (_, body, target, code) => {
    const visit = await harness.visit({ body });
    await execute(visit, target);
    expect(await outcome(visit)).toMatchObject({ code, retryable: false });
    expect(await visit.page.locator("body").innerText()).toBe("");
    // A known error is reported again at every call.
    await execute(visit, target);
    expect(await outcome(visit, 2)).toMatchObject({ code });
    await visit.close();
  });

  it("[V4] a short submit handler guards a form, which is sent once with its token", async () => {
    const guard = `<script>
      const form = document.querySelector("form");
      form.addEventListener("submit", (event) => {
        if (spCaptcha.getResponse(form.querySelector(".sp-captcha"))) return;
        event.preventDefault();
        const sender = event.submitter;
        spCaptcha.execute(form.querySelector(".sp-captcha")).then(() => form.requestSubmit(sender), (error) => calls.push(["failed", error.code]));
      });
    </script>`;
    const visit = await harness.visit({
      body: `<form action="/submit" method="post"><input name="name" value="Ada">${unseen()}<button name="do" value="it">Send</button></form>${guard}`,
    });
    const sent = harness.site.received.length;
    await visit.page.getByRole("button", { name: "Send" }).dblclick();
    await visit.page.waitForURL("**/submit");
    const bodies = harness.site.received.slice(sent).map(({ body }) => new URLSearchParams(body));
    expect(bodies).toHaveLength(1);
    expect(bodies[0]?.get("name")).toBe("Ada");
    expect(bodies[0]?.get("do")).toBe("it");
    const token = bodies[0]?.get("captcha-token") ?? "";
    expect((await harness.verify(KEYS.low, token)).body).toMatchObject({ success: true });
    await visit.close();
  });

  it("[V4] an invisible widget that is moved while execute runs still yields a token", async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    const visit = await harness.visit({ body: `${unseen()}<p id="there"></p>` }, {}, ({ page }) =>
      page.route("**/api/v1/score", async (route) => {
        await held;
        await route.continue().catch(() => undefined);
      }),
    );
    const asked = visit.page.waitForRequest("**/api/v1/score");
    await execute(visit);
    await asked;
    const again = visit.page.waitForRequest("**/api/v1/score");
    await visit.page.evaluate(
      "document.getElementById('there').append(document.querySelector('.sp-captcha'))",
    );
    await again;
    answer();
    expect(await outcome(visit)).toHaveProperty("token");
    await visit.close();
  });
});
