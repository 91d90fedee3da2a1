import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { type Harness, openHarness } from "./harness.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ settings: { testing: true } });
});
afterAll(() => harness?.close());

const box = (key: string) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="en"></div>`;

describe.skipIf(WITHOUT_ENGINE)("test keys in a page", () => {
  it("[H10] test keys have a ribbon, and pass, fail and expire as their names tell, only with the test API key", async () => {
    const outcomes: Record<string, object> = {};
    for (const key of ["sp-test-pass", "sp-test-fail"]) {
      const visit = await harness.visit({ body: box(key) });
      await visit.checkbox().waitFor();
      expect(await visit.says()).toMatch(/\btest\b/i);
      await visit.tick();
      await visit.untilVerified();
      const token = (await visit.field()) ?? "";
      // A verification with a real key fails and does not use the token up.
      expect((await harness.verify(key, token)).body).toMatchObject({ success: false });
      outcomes[key] = (await harness.verify(key, token, "sp-test-api-key")).body;
      await visit.close();
    }
    expect(outcomes).toMatchObject({ "sp-test-pass": { success: true }, "sp-test-fail": { success: false } });
    const expiring = await harness.visit({ body: box("sp-test-expired") });
    await expiring.tick();
    await expiring.called("sp-captcha:expired");
    expect(await expiring.field()).toBe("");
    await expiring.close();
  });

  it("[H10] sp-test-task always shows a task, and a page without test keys has no ribbon", async () => {
    const visit = await harness.visit({ body: box("sp-test-task") });
    await visit.tick();
    await visit.task.ready();
    await visit.close();
    const real = await harness.visit({ body: box("site-key-low") });
    await real.checkbox().waitFor();
    expect(await real.says()).not.toMatch(/\btest\b/i);
    await real.close();
  });
});
