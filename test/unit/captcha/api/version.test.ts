import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assetEndpoints } from "../../../../plugins/captcha/service/assets/endpoints.js";
import { widgetManifest } from "../../../../plugins/captcha/service/assets/manifest.js";
import { botTick, CaptchaApi, PAGE, SITE_KEY } from "../../../support/captcha-api.js";

let api: CaptchaApi;
beforeEach(async () => {
  api = await CaptchaApi.open();
});
afterEach(() => api.close());

describe("versions", () => {
  it("[H35] the script has a lasting path and one per build, and the frames have v1 in their paths", () => {
    const { files, version } = widgetManifest();
    const assets = assetEndpoints(api.parts);
    const known = (path: string) => assets(path) !== null;
    expect(["/captcha.js", "/f/v1/box", "/f/v1/task"].map(known)).toEqual([true, true, true]);
    expect(["/v1/captcha.js", "/f/box", "/f/v2/box", "/f/task"].map(known)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(known(`/${files["captcha.js"].file}`)).toBe(true);
    expect(files["captcha.js"].file).toMatch(
      new RegExp(`^captcha-${version.replaceAll(".", "\\.")}\\.[\\w-]+\\.js$`),
    );
  });

  it("[H35] the API responds with 404 outside of its version 1", async () => {
    const visitor = api.visitor();
    const begin = { site_key: SITE_KEY, origin: PAGE };
    expect((await visitor.call("/session", begin)).status).toBe(200);
    for (const path of ["/../v2/session", "/../session", "/session/", "//session", "/Session"]) {
      const { status } = await fetch(`${visitor.url}/api/v1${path}`, { method: "POST" });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  it("[H35] responses have the fields of version 1, and further fields are allowed", async () => {
    const visitor = api.visitor();
    const text = expect.any(String);
    const number = expect.any(Number);
    const begun = await visitor.begin();
    const pow = { id: text, salt: text, bits: number, n: number };
    expect(begun.body).toMatchObject({ session: text, pow, ttl_ms: number });
    expect((await visitor.tick(botTick())).body).toMatchObject({ outcome: "task", ref: text });
    const task = await visitor.next("shapes");
    expect(task.body).toMatchObject({
      ...{ outcome: "task", task: text, type: text, count: number, ttl_ms: number },
      parts: [{ name: text, kind: "png" }, { name: text }],
      types: ["shapes", "rings", "text", "audio"],
    });
    const token = await visitor.answer(api.tasks.solution());
    expect(token.body).toMatchObject({ outcome: "token", token: text, ttl_ms: number });
    expect((await visitor.begin({ site_key: "nobody-has-it" })).body).toMatchObject({
      error: text,
      retryable: false,
    });
  });
});
