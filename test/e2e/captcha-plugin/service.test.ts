import { describe, expect, it, onTestFinished } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { ManualClock } from "../../support/captcha-clock.js";
import { CaptchaHarness, SECOND_SITE, SITE } from "../../support/verify-harness.js";
import { captchaHarness } from "./harness.js";
import { formPost } from "./posts.js";

/** The gateway in front of the real verification endpoint, with a key of its customer. */
async function withService({
  apiKey,
  ...settings
}: {
  apiKey?: string;
  site_key?: string;
  policy?: string;
} = {}) {
  const clock = new ManualClock();
  const service = await CaptchaHarness.start({ clock });
  onTestFinished(() => service.stop());
  const gateway = await captchaHarness({
    settings,
    service: {
      url: `http://127.0.0.1:${service.port}`,
      siteKey: SITE,
      apiKey: apiKey ?? service.keys.shop.key,
    },
  });
  const post = async (token: string, from?: string) => {
    const browser = await gateway.client(from);
    await browser.send(formPost({ name: "Ann", "captcha-token": token }));
    const { status, body } = await browser.response("POST");
    browser.close();
    return { status, error: status === 200 ? undefined : (JSON.parse(body) as { error: string }).error };
  };
  return { clock, service, gateway, post };
}

describe("the gateway and the captcha service", () => {
  it("[C36] [C38] [A20] gateway and service pass a form once for each token", async () => {
    const { service, gateway, post } = await withService();
    const token = await service.issue();
    expect(await post(token)).toEqual({ status: 200, error: undefined });
    expect(await post(token)).toEqual({ status: 403, error: "captcha_invalid" });
    const [request, ...others] = gateway.upstream.requests;
    expect(others).toEqual([]);
    expect(request?.body).toBe("name=Ann");
    expect(fieldValues(request?.headers ?? [], "x-captcha-request-id")).toEqual([
      service.records[0]?.request_id,
    ]);
    expect(service.records[0]).toMatchObject({ success: true, ip: expect.any(String) });
  });

  it("exactly one of many simultaneous requests with one token passes", async () => {
    const { service, gateway, post } = await withService();
    const token = await service.issue();
    const all = await Promise.all(Array.from({ length: 20 }, () => post(token)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  it("[C60] a damaged token, one of another address and an expired one are rejected", async () => {
    const { clock, service, post } = await withService();
    const token = await service.issue();
    expect(await post(`${token.slice(0, -4)}AAAA`)).toEqual({ status: 403, error: "captcha_invalid" });
    const elsewhere = service.binding({ text: "203.0.113.7", family: 4, prefix: "203.0.113.0/24" });
    expect(await post(await service.issue(elsewhere))).toEqual({ status: 403, error: "captcha_invalid" });
    const here = service.binding({ text: "127.0.0.9", family: 4, prefix: "127.0.0.0/24" });
    expect(await post(await service.issue(here))).toMatchObject({ status: 200 });
    const short = await service.issue({}, 1_000);
    clock.advance(2_000);
    expect(await post(short)).toEqual({ status: 403, error: "captcha_invalid" });
  });

  it("[C61] [H4] [H5] a wrong API key or site key rejects the form with a report and leaves the token good", async () => {
    const wrongKey = await withService({ apiKey: "spk_wrong", policy: "fail-open" });
    expect(await wrongKey.post(await wrongKey.service.issue())).toEqual({
      status: 403,
      error: "captcha_misconfigured",
    });
    expect(wrongKey.gateway.reports).toMatchObject([
      { event: "captcha_misconfigured", fields: { error: "invalid_api_key", status: 401 } },
    ]);
    const wrongSite = await withService({ site_key: SECOND_SITE, policy: "fail-open" });
    const token = await wrongSite.service.issue();
    expect(await wrongSite.post(token)).toEqual({ status: 403, error: "captcha_misconfigured" });
    expect(wrongSite.gateway.reports).toMatchObject([{ fields: { error: "path_mismatch", status: 200 } }]);
    expect((await wrongSite.service.verify(token)).body["success"]).toBe(true);
  });
});
