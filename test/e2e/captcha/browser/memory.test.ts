import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PowAnswer } from "../../../../plugins/captcha/service/protocol.js";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
let usual: Harness;
beforeAll(async () => {
  harness = await openHarness({ siteKeys: { work: "argon2id" } });
  usual = await openHarness();
});
afterAll(async () => {
  await harness?.close();
  await usual?.close();
});

const page = {
  body: `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field data-language="en"></div>`,
};
const SCRIPT = "**/assets/memory.*.js";

/** Visits, ticks and is verified; returns the work that was sent and the scripts that were loaded. */
async function verified(
  on: Harness,
  before: (visit: Visit) => Promise<unknown> = async () => {},
): Promise<{ pow: PowAnswer; scripts: string[]; console: string[] }> {
  const scripts: string[] = [];
  const visit = await on.visit(page, {}, async (one) => {
    one.page.on("request", (request) => {
      const [, script] = /\/assets\/(\w+)\.\w+\.js$/.exec(request.url()) ?? [];
      if (script !== undefined) scripts.push(script);
    });
    await before(one);
  });
  await visit.checkbox().waitFor();
  const { pow } = await on.sent<{ pow: PowAnswer }>("/api/v1/score", () => visit.tick());
  // 16 hashes of 19 MiB take a second here, and several on a busy machine.
  await visit.box().getByRole("checkbox", { checked: true }).waitFor();
  expect(visit.errors).toEqual([]);
  const found = { pow, scripts, console: visit.console };
  await visit.close();
  return found;
}

describe.skipIf(WITHOUT_ENGINE)("memory-hard work in a browser", () => {
  it("[H43] memory-hard work runs in a worker whose own response allows WebAssembly, without a violation", async () => {
    const { pow, scripts, console } = await verified(harness);
    expect(pow.memory).toHaveLength(16);
    expect(scripts).toContain("memory");
    expect(console.filter((line) => /violat|Content.Security/i.test(line))).toEqual([]);
  });

  it("[H43] more bits replace memory-hard work in a browser without WebAssembly", async () => {
    const { pow, scripts } = await verified(harness, ({ context }) =>
      context.addInitScript("delete globalThis.WebAssembly"),
    );
    expect(pow.memory).toBeUndefined();
    expect(pow.answers).toHaveLength(16);
    expect(scripts).not.toContain("memory");
  });

  it("[H43] more bits replace memory-hard work when the worker's own policy forbids WebAssembly", async () => {
    const { pow, scripts } = await verified(harness, ({ page: shown }) =>
      shown.route(SCRIPT, async (route) => {
        const response = await route.fetch({
          url: route.request().url().replace("captcha.localhost", "127.0.0.1"),
        });
        const headers = {
          ...response.headers(),
          "content-security-policy": "default-src 'none'; script-src 'self'",
        };
        await route.fulfill({ response, headers });
      }),
    );
    expect(scripts).toContain("memory");
    expect(pow.memory).toBeUndefined();
  });

  it("[H43] the worker for memory-hard work is not loaded unless it is needed", async () => {
    const { pow, scripts } = await verified(usual);
    expect(pow.memory).toBeUndefined();
    expect(scripts).not.toContain("memory");
  });
});
