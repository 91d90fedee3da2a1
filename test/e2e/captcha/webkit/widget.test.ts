import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEY } from "../../../support/webdriver.js";
import { WITHOUT_WEBKIT } from "../../../support/webkit.js";
import { KEYS } from "../browser/configuration.js";
import { wrong } from "../browser/task-dialog.js";
import { openWebKitHarness, type WebKitHarness } from "./webkit-harness.js";
import type { WebKitVisit } from "./webkit-visit.js";

let harness: WebKitHarness;
beforeAll(async () => {
  harness = await openWebKitHarness();
});
afterAll(() => harness?.close());

const box = (key: string, attributes = "data-response-field") =>
  `<div class="sp-captcha" data-sitekey="${key}" data-language="en" ${attributes}></div>`;

async function toTask(key: string): Promise<WebKitVisit> {
  const visit = await harness.visit(box(key));
  await visit.tick();
  await visit.taskReady();
  return visit;
}

const isAccepted = async (key: string, token: string) =>
  expect(await harness.verify(key, token)).toMatchObject({ success: true, site_key: key });

describe.skipIf(WITHOUT_WEBKIT)("the widget in WebKitGTK", () => {
  it("[C22] [C23] a tick by mouse is verified without a task, and the backend accepts the token", async () => {
    const visit = await harness.visit(box(KEYS.low));
    await visit.tick();
    await visit.untilVerified();
    await visit.called("sp-captcha:close");
    const answer = await harness.verify(KEYS.low, await visit.field());
    expect(answer).toMatchObject({ success: true, site_key: KEYS.low });
    // The score has webdriver as a reason and none of the browser program, which passes here.
    const { reasons } = answer["details"] as { reasons: { code: string }[] };
    expect(reasons.map(({ code }) => code)).toContain("webdriver");
    expect(reasons.filter(({ code }) => code.startsWith("program_"))).toEqual([]);
    expect(await visit.calls("uncaught")).toEqual([]);
  });

  it("[C24] [C28] [C29] a shapes task is solved by mouse", async () => {
    const visit = await toTask(KEYS.shapes);
    expect(await visit.field()).toBe("");
    await harness.solve(visit);
    await visit.untilVerified();
    expect(await visit.says()).toMatch(/verified/i);
    await isAccepted(KEYS.shapes, await visit.field());
  });

  it("[A70] a shapes task is ticked and solved by keys alone: Tab, Space, arrows and Enter", async () => {
    const visit = await harness.visit(`<input id="before">${box(KEYS.shapes)}`);
    await visit.until("the box", () => visit.inBox(async () => (await visit.focused()) === ""));
    await visit.page("document.getElementById('before').focus()");
    await visit.driver.keys([KEY.tab]);
    await visit.until("focus on the checkbox", () => visit.inBox(async () => (await visit.focused()) !== ""));
    await visit.inBox(() => visit.driver.keys([KEY.space]));
    await harness.solve(visit, (right) =>
      visit.inTask(async () => {
        const cell = /\b([1-3])\D+([1-4])\b/;
        await visit.tabTo(cell);
        for (const wanted of right.type === "shapes" ? right.cells : []) {
          const [, row, column] = cell.exec(await visit.focused()) ?? [];
          const at = (Number(row) - 1) * 4 + Number(column) - 1;
          const [down, right_] = [Math.floor(wanted / 4) - Math.floor(at / 4), (wanted % 4) - (at % 4)];
          const vertical = Array.from({ length: Math.abs(down) }, () => (down > 0 ? KEY.down : KEY.up));
          const level = Array.from({ length: Math.abs(right_) }, () => (right_ > 0 ? KEY.right : KEY.left));
          await visit.driver.keys([...vertical, ...level, KEY.enter], 30);
        }
        await visit.tabTo(/^Check$/);
        await visit.driver.keys([KEY.enter]);
      }),
    );
    await visit.untilVerified();
    await isAccepted(KEYS.shapes, await visit.field());
  });

  it("[T4] rings that are dragged to their angles solve the task", async () => {
    const visit = await toTask(KEYS.rings);
    await harness.solve(visit);
    await visit.untilVerified();
    await isAccepted(KEYS.rings, await visit.field());
  });

  it("[T4] rings that are turned by buttons and arrow keys solve the task", async () => {
    const visit = await toTask(KEYS.rings);
    await harness.solve(visit, (right) =>
      visit.inTask(async () => {
        for (const [index, angle] of (right.type === "rings" ? right.angles : []).entries()) {
          const forward = angle <= 180;
          const turns = Math.round((forward ? angle : 360 - angle) / 15);
          const name = new RegExp(`^Ring ${index + 1}: .* ${forward ? "forward" : "back"}`);
          for (let i = 0; i < turns; i++) await visit.press(name);
        }
        await visit.driver.script("document.querySelector('input[type=range]').focus()");
        await visit.driver.keys([KEY.right, KEY.left], 60);
        await visit.press(/^Check$/);
      }),
    );
    await visit.untilVerified();
    await isAccepted(KEYS.rings, await visit.field());
  });

  it("a sound task can be played and solved", async () => {
    const visit = await toTask(KEYS.shapes);
    await harness.untilNewTask(visit, () => visit.inTask(() => visit.press(/^Audio$/)));
    await visit.inTask(async () => {
      await visit.press(/^Play/);
      // The bar is as wide as the played part.
      await visit.until("the sound goes on", () =>
        visit.driver.script("return parseFloat(document.querySelector('.play .bar').style.width) > 5"),
      );
    });
    await harness.solve(visit);
    await visit.untilVerified();
    await isAccepted(KEYS.shapes, await visit.field());
  });

  it("[C25] [C27] a wrong answer is followed by another task, which can be solved", async () => {
    const visit = await toTask(KEYS.shapes);
    await harness.untilNewTask(visit, () => visit.answer(wrong(harness.service.tasks.answer())));
    expect(await visit.field()).toBe("");
    await harness.solve(visit);
    await visit.untilVerified();
  });

  it("[H11] Escape, the button and the backdrop close the task and leave the box unticked", async () => {
    const visit = await harness.visit(box(KEYS.shapes));
    for (const close of [
      () => visit.inTask(() => visit.driver.keys([KEY.escape])),
      () => visit.inTask(() => visit.press(/^Close$/)),
      () =>
        visit.driver.mouse([
          { type: "pointerMove", x: 3, y: 3 },
          { type: "pointerDown", button: 0 },
          { type: "pointerUp", button: 0 },
        ]),
    ]) {
      await visit.tick();
      await visit.taskReady();
      await visit.until("the dialog closes", async () => {
        if (await visit.hasDialog()) await close();
        return !(await visit.hasDialog());
      });
      await visit.until("the box starts anew", async () => !(await visit.isChecked()));
    }
    expect(await visit.calls("sp-captcha:error")).toEqual([]);
  });

  it("[C17] [C18] [C67] an expired token clears the field and calls back, and the box can be ticked again", async () => {
    const visit = await harness.visit(
      `<script>callback("expired")</script>${box(KEYS.low, 'data-response-field data-expired-callback="expired"')}`,
    );
    await visit.tick();
    await visit.untilVerified();
    const first = await visit.field();
    await visit.page("pass(400_000); window.dispatchEvent(new Event('focus'))");
    expect(await visit.called("expired")).toEqual(["expired"]);
    expect(await visit.field()).toBe("");
    await visit.until("the box starts anew", async () => !(await visit.isChecked()));
    await visit.tick();
    await visit.untilVerified();
    const second = await visit.field();
    expect(second).not.toBe(first);
    await isAccepted(KEYS.low, second);
  });

  it("[V1] execute without a box resolves with a token, and opens the dialog only for a task", async () => {
    const execute = `spCaptcha.execute().then((token) => calls.push(["outcome", token]), (error) => calls.push(["outcome", error.code]))`;
    const invisible = 'data-response-field data-size="invisible"';
    const start = async (key: string) => {
      const visit = await harness.visit(box(key, invisible));
      await visit.until("the script", () => visit.page("return window.spCaptcha !== undefined"));
      await visit.page(execute);
      return visit;
    };
    const quiet = await start(KEYS.low);
    await isAccepted(KEYS.low, (await quiet.called("outcome"))[1] as string);
    expect(await quiet.calls("sp-captcha:open")).toEqual([]);
    const asked = await start(KEYS.shapes);
    await asked.taskReady();
    await asked.inTask(() => asked.press(/^Close$/));
    expect(await asked.called("outcome")).toEqual(["outcome", "cancelled"]);
  });

  it("[C31] a form sends the token with its other fields", async () => {
    const visit = await harness.visit(
      `<form action="/submit" method="post"><input name="name" value="Ada">${box(KEYS.low)}<button>Send</button></form>`,
    );
    await visit.tick();
    await visit.untilVerified();
    const before = harness.site.received.length;
    await visit.press(/^Send$/);
    await visit.until("sent", async () => (await visit.driver.url()).endsWith("/submit"));
    const [sent] = harness.site.received.slice(before);
    const fields = new URLSearchParams(sent?.body);
    expect(fields.get("name")).toBe("Ada");
    await isAccepted(KEYS.low, fields.get("captcha-token") ?? "");
  });

  it.each([
    ["invalid_sitekey", "no-such-site-key"],
    ["invalid_sitekey", KEYS.disabled],
    ["hostname_not_allowed", KEYS.elsewhere],
  ])("[A51] [C66] the error %s for the site key %s is reported and shown", async (code, key) => {
    const visit = await harness.visit(box(key));
    expect((await visit.called("sp-captcha:error"))[1]).toMatchObject({ code, retryable: false });
    expect(
      await visit.page<number>("return document.querySelector('.sp-captcha').offsetHeight"),
    ).toBeGreaterThan(0);
    expect(await visit.field()).toBe("");
  });

  it.each([
    ["network_error", "cut"],
    ["service_unavailable", { status: 503, error: "service_unavailable" }],
  ] as const)(
    "[A74] the error %s at the score is reported and shown, and another try succeeds",
    async (code, fault) => {
      const visit = await harness.visit(box(KEYS.low));
      harness.service.front.fail((path) => (path === "/api/v1/score" ? fault : undefined));
      await visit.tick();
      expect((await visit.called("sp-captcha:error"))[1]).toMatchObject({ code, retryable: true });
      harness.service.front.fail(undefined);
      expect(await visit.field()).toBe("");
      await visit.until("the dialog is gone", async () => !(await visit.hasDialog()));
      expect(await visit.says()).toMatch(/Try again/);
      await visit.tick();
      await visit.untilVerified();
      await isAccepted(KEYS.low, await visit.field());
    },
  );
});
