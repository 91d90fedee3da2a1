import { describe, expect, it } from "vitest";
import { fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { failed, verified } from "../../support/captcha-verifier.js";
import { captchaHarness, type Harness, SITE_KEY } from "./harness.js";
import { formPost } from "./posts.js";

const REQUESTS = "gw_captcha_plugin_requests_total";

/** Posts a form with this token on a connection of its own. */
async function posted({ client }: Harness, token: string) {
  const browser = await client();
  await browser.send(formPost({ name: "Ann", "captcha-token": token }));
  const response = await browser.response("POST");
  browser.close();
  return response;
}

/** Ways in which a service returns no verdict. */
const FAULTS: [string, (harness: Harness) => Promise<void> | void][] = [
  ["storage_error", ({ verifier }) => void (verifier.script = () => failed("storage_error", 503))],
  ["a status 500", ({ verifier }) => void (verifier.script = () => failed("internal_error", 500))],
  ["no response in time", ({ verifier }) => void (verifier.script = () => "silence")],
  ["a connection that breaks", ({ verifier }) => void (verifier.script = () => "cut")],
  ["nobody listening", ({ verifier }) => verifier.stop()],
  ["an endless answer", ({ verifier }) => void (verifier.script = () => ({ text: "x".repeat(100_000) }))],
];

describe("captcha service without a verdict", () => {
  it.each(FAULTS)(
    "[C62] [C63] fail-closed responds with 503 and the upstream gets no form: %s",
    async (_, break_) => {
      const harness = await captchaHarness({ settings: { timeout: 150 } });
      await break_(harness);
      const { status, headers, body } = await posted(harness, "aa.bb.cc");
      expect([status, fieldValues(headers, "retry-after")]).toEqual([503, ["10"]]);
      expect(JSON.parse(body)).toMatchObject({ error: "captcha_unavailable" });
      expect(harness.upstream.requests).toEqual([]);
      expect(harness.metric(REQUESTS, { result: "unavailable" })).toBe(1);
      expect(harness.metric("gw_captcha_plugin_failures_total")).toBe(2);
    },
  );

  it.each(FAULTS)(
    "[C62] [C64] fail-open passes the form with the result unverified: %s",
    async (_, break_) => {
      const harness = await captchaHarness({ settings: { timeout: 150, policy: "fail-open" } });
      await break_(harness);
      expect((await posted(harness, "aa.bb.cc")).status).toBe(200);
      const [request] = harness.upstream.requests;
      expect(fieldValues(request?.headers ?? [], "x-captcha-result")).toEqual(["unverified"]);
      expect(request?.body).toBe("name=Ann");
      expect(harness.metric(REQUESTS, { result: "unverified" })).toBe(1);
    },
  );

  it("[C36] [C64] fail-open still needs a token", async () => {
    const harness = await captchaHarness({ settings: { policy: "fail-open" } });
    await harness.verifier.stop();
    expect((await posted(harness, "")).status).toBe(403);
    expect((await posted(harness, "no token")).status).toBe(403);
    expect(harness.upstream.requests).toEqual([]);
  });

  it("[C63] a form passes as soon as a verification succeeds", async () => {
    const harness = await captchaHarness({ settings: { retries: 0 } });
    harness.verifier.script = () => failed("storage_error", 503);
    expect((await posted(harness, "aa.bb.cc")).status).toBe(503);
    harness.verifier.script = () => verified(SITE_KEY);
    expect((await posted(harness, "aa.bb.cc")).status).toBe(200);
  });

  it("a lost response is requested again, and the token counts once", async () => {
    const harness = await captchaHarness();
    const seen = new Set<string>();
    // The service has used the token up, but its first response never arrives.
    harness.verifier.script = ({ query }) => {
      const mark = query["idempotency_key"] ?? "";
      if (seen.size === 0) {
        seen.add(mark);
        return "cut";
      }
      return seen.has(mark) ? verified(SITE_KEY) : failed("invalid_jwt");
    };
    expect((await posted(harness, "aa.bb.cc")).status).toBe(200);
    expect((await posted(harness, "aa.bb.cc")).status).toBe(403);
    expect(harness.verifier.calls).toHaveLength(3);
  });

  it("[C62] the circuit breaker opens after five failures, and the service is not called any more", async () => {
    const harness = await captchaHarness({ settings: { timeout: 300, retries: 0 } });
    harness.verifier.script = () => "silence";
    for (let i = 0; i < 5; i++) expect((await posted(harness, `t.${i}.c`)).status).toBe(503);
    expect(harness.verifier.calls).toHaveLength(5);
    for (let i = 0; i < 10; i++) expect((await posted(harness, `u.${i}.c`)).status).toBe(503);
    expect(harness.verifier.calls).toHaveLength(5);
    expect(harness.metric("gw_captcha_plugin_breaker_open")).toBe(1);
    const told = (event: string) => harness.reports.filter((report) => report.event === event);
    expect(told("captcha_unavailable")).toEqual([
      { event: "captcha_unavailable", fields: { site_key: SITE_KEY, error: "timeout" } },
    ]);
    // One report for each form that waited in vain; a process logs such lines once a second.
    expect(told("captcha_gives_no_verdict")).toHaveLength(5);
    expect(told("captcha_gives_no_verdict")[0]?.fields).toMatchObject({ route: "r", error: "timeout" });
  });

  it("requests without a needed token are served while the service is down", async () => {
    const harness = await captchaHarness();
    await harness.verifier.stop();
    const browser = await harness.client();
    for (let i = 0; i < 3; i++) {
      await browser.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n");
      expect((await browser.response("GET")).status).toBe(200);
    }
    expect(harness.metric(REQUESTS)).toBe(0);
  });
});

describe("the counters", () => {
  it("the counters record the result of each protected request", async () => {
    const harness = await captchaHarness();
    harness.verifier.script = ({ query }) =>
      query["jwt"] === "good.a.b"
        ? verified(SITE_KEY)
        : failed(query["jwt"] === "path.a.b" ? "path_mismatch" : "invalid_jwt");
    for (const token of ["good.a.b", "used.a.b", "used.a.b", "path.a.b", "", "no token"])
      await posted(harness, token);
    const results = ["verified", "invalid", "misconfigured", "required", "unavailable", "unverified"];
    const counted = results.map((result) => harness.metric(REQUESTS, { result, site_key: SITE_KEY }));
    expect(counted).toEqual([1, 3, 1, 1, 0, 0]);
    expect(harness.metric("gw_captcha_plugin_verify_seconds")).toBeGreaterThan(0);
  });
});
