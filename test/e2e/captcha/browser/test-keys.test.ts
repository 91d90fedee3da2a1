import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { openStand, type Stand } from "./stand.js";

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ settings: { testing: true } });
});
afterAll(() => stand?.close());

const box = (key: string) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="en"></div>`;

describe.skipIf(WITHOUT_ENGINE)("test keys in a page", () => {
  it("[H10] wear a ribbon, pass, fail and expire as their names say, with the test API key alone", async () => {
    const outcomes: Record<string, object> = {};
    for (const key of ["sp-test-pass", "sp-test-fail"]) {
      const visit = await stand.visit({ body: box(key) });
      await visit.checkbox().waitFor();
      expect(await visit.says()).toMatch(/\btest\b/i);
      await visit.tick();
      await visit.untilVerified();
      const token = (await visit.field()) ?? "";
      // A real key learns nothing from it, and does not use it up.
      expect((await stand.verify(key, token)).body).toMatchObject({ success: false });
      outcomes[key] = (await stand.verify(key, token, "sp-test-api-key")).body;
      await visit.close();
    }
    expect(outcomes).toMatchObject({ "sp-test-pass": { success: true }, "sp-test-fail": { success: false } });
    const expiring = await stand.visit({ body: box("sp-test-expired") });
    await expiring.tick();
    await expiring.called("sp-captcha:expired");
    expect(await expiring.field()).toBe("");
    await expiring.close();
  });

  it("[H10] sp-test-task always shows a task; a page without test keys wears no ribbon", async () => {
    const visit = await stand.visit({ body: box("sp-test-task") });
    await visit.tick();
    await visit.task.ready();
    await visit.close();
    const real = await stand.visit({ body: box("site-key-low") });
    await real.checkbox().waitFor();
    expect(await real.says()).not.toMatch(/\btest\b/i);
    await real.close();
  });
});
