import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const box = (attributes: string, key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" ${attributes}></div>`;

describe.skipIf(WITHOUT_ENGINE)("callbacks", () => {
  it("[C15] [C19] [C14] [H1] data-callback names a global function that gets only the token", async () => {
    const visit = await harness.visit({
      body: `<script>callback("success")</script>${box('data-callback="success"')}`,
    });
    await visit.tick();
    const call = await visit.called("success");
    expect(call).toHaveLength(2);
    expect(call[1]).toMatch(JWT);
    await visit.close();
  });

  it("[H1] data-success-callback is an alias; with both, data-callback wins and the console warns", async () => {
    const visit = await harness.visit({
      body: `<script>callback("first"); callback("second")</script>
        ${box('data-success-callback="second"')}${box('data-success-callback="second" data-callback="first"', KEYS.second)}`,
    });
    await visit.tick(0);
    await visit.called("second");
    await visit.tick(1);
    await visit.called("first");
    expect(await visit.calls("second")).toHaveLength(1);
    expect(
      visit.console.some((line) => line.startsWith("warning:") && line.includes("data-success-callback")),
    ).toBe(true);
    await visit.close();
  });

  it("[H17] [A53] callback names are looked up at the call, and only as the window's own functions", async () => {
    const names = ["absent", "shown.later", "eval(1)", "constructor", "toString", "lexical"];
    const visit = await harness.visit({
      body: `<script>callback("failed"); const lexical = () => calls.push(["lexical"]); window.shown = { later: () => calls.push(["dotted"]) };</script>
        ${names.map((name) => box(`data-response-field data-callback="${name}" data-error-callback="failed"`)).join("")}
        ${box('data-callback="late"')}`,
    });
    for (const [index] of names.entries()) {
      await visit.tick(index);
      await visit.called("failed", index + 1);
      expect((await visit.calls("failed")).at(-1)).toMatchObject(["failed", { code: "callback_not_found" }]);
      // The field has the token nevertheless.
      expect(await visit.container(index).locator("input").inputValue()).toMatch(JWT);
    }
    await visit.checkbox(names.length).waitFor();
    await visit.page.evaluate('callback("late")');
    await visit.tick(names.length);
    await visit.called("late");
    expect(await visit.calls("lexical")).toEqual([]);
    expect(await visit.calls("dotted")).toEqual([]);
    await visit.close();
  });

  it("[H19] [A53] an exception of a callback is reported and changes nothing", async () => {
    const visit = await harness.visit({
      body: `<script>function success() { throw new Error("of the page") }</script>${box('data-response-field data-callback="success"')}`,
    });
    await visit.tick();
    await visit.untilVerified();
    expect(visit.errors.join()).toContain("of the page");
    expect(await visit.field()).toMatch(JWT);
    await visit.close();
  });

  it("[A53] a callback name that looks like code runs nothing", async () => {
    const visit = await harness.visit({
      body: `<script>callback("failed")</script>${box('data-response-field data-callback="calls.push([`ran`])" data-error-callback="failed"')}${box('data-response-field data-callback="eval" data-error-callback="failed"', KEYS.second)}`,
    });
    await visit.tick(0);
    await visit.called("failed");
    expect(await visit.calls("ran")).toEqual([]);
    await visit.close();
  });

  it("[C16] [C66] [H3] data-error-callback gets an object with code, message and retryable", async () => {
    const visit = await harness.visit({
      body: `<script>callback("failed")</script>${box('data-response-field data-error-callback="failed"', "no-such-site-key")}`,
    });
    const [, error] = (await visit.called("failed")) as [string, Record<string, unknown>];
    expect(error).toEqual({ code: "invalid_sitekey", message: expect.any(String), retryable: false });
    expect(error["message"]).not.toBe("");
    await visit.close();
  });

  it("[H18] the events open, success, close and error bubble from the container and cross shadow trees", async () => {
    const visit = await harness.visit({
      body: `${box("data-response-field", KEYS.normal)}${box("data-response-field", "no-such-site-key")}
        <script>for (const name of ["success", "error", "open", "close"])
          document.addEventListener("sp-captcha:" + name, (event) => calls.push(["flags", name, event.bubbles, event.composed, event.target.className]));</script>`,
    });
    const [, error] = await visit.called("sp-captcha:error");
    expect(error).toMatchObject({ code: "invalid_sitekey", retryable: false });
    await visit.tick(0);
    await visit.called("sp-captcha:open");
    await visit.task.ready();
    await harness.solve(visit);
    expect((await visit.called("sp-captcha:success"))[1]).toEqual({ token: expect.stringMatching(JWT) });
    await visit.called("sp-captcha:close");
    const flags = await visit.calls("flags");
    expect(new Set(flags.map(([, name]) => name))).toEqual(new Set(["success", "error", "open", "close"]));
    for (const flag of flags) expect(flag.slice(2)).toEqual([true, true, "sp-captcha"]);
    await visit.close();
  });
});
