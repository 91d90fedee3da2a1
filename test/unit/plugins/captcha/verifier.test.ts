import { describe, expect, it } from "vitest";
import type { VerifyCalls, VerifyQuery } from "../../../../plugins/captcha/runtime/calls.js";
import { type VerifyAnswer, verdictOf } from "../../../../plugins/captcha/runtime/verdict.js";
import { Verifier } from "../../../../plugins/captcha/runtime/verifier.js";
import { MetricsRegistry } from "../../../../runtime/abi/metrics-registry.js";

const PASSED: VerifyAnswer = {
  status: 200,
  body: '{"success":true,"request_id":"req_1","site_key":"shop-front"}',
};
const DOWN: VerifyAnswer = { status: 503, body: '{"success":false,"error":"storage_error"}' };

/** A verifier with scripted responses; the last one repeats. */
function verifier(answers: (VerifyAnswer | Error)[], retries = 1) {
  const clock = { now: 0 };
  const queries: VerifyQuery[] = [];
  const reports: [string, object][] = [];
  const calls: VerifyCalls = {
    async ask(query) {
      queries.push(query);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
    async close() {},
  };
  const metrics = new MetricsRegistry();
  const report = (event: string, fields: object) => reports.push([event, fields]);
  const made = new Verifier(
    { siteKey: "shop-front", retries, url: "http://127.0.0.1:9088" },
    calls,
    { metrics, report },
    () => clock.now,
  );
  const level = (name: string) => metrics.snapshot().find((family) => family.name === name)?.series[0]?.value;
  return { made, clock, queries, reports, level };
}

describe("response of the verification endpoint", () => {
  const of = (status: number, body: unknown) =>
    verdictOf({ status, body: typeof body === "string" ? body : JSON.stringify(body) }, "shop-front");

  it("[C36] only status 200 with success true for the same site key is verified", () => {
    const passed = { success: true, request_id: "req_1", site_key: "shop-front" };
    expect(of(200, passed)).toEqual({ kind: "verified", requestId: "req_1" });
    const others = [
      { ...passed, success: 1 },
      { ...passed, success: "true" },
      { ...passed, site_key: "shop-fron" },
      { ...passed, site_key: undefined },
      { ...passed, request_id: undefined },
      [passed],
      ...["", "true", "null", "<html>", '{"success":true'],
    ];
    for (const other of others) expect(of(200, other).kind, JSON.stringify(other)).toBe("misconfigured");
    expect(of(201, passed).kind).toBe("misconfigured");
    expect(of(302, passed).kind).toBe("misconfigured");
  });

  it("a request_id that no header can hold becomes empty", () => {
    const passed = { success: true, request_id: "a\r\nX-B: 1", site_key: "shop-front" };
    expect(of(200, passed)).toEqual({ kind: "verified", requestId: "" });
  });

  it("[C60] invalid_jwt means an invalid token", () => {
    const said = { success: false, error: "invalid_jwt", validation_check: "expired" };
    expect(of(200, said)).toEqual({ kind: "invalid", error: "invalid_jwt" });
  });

  it.each([
    [400, "missing_required_params"],
    [200, "invalid_jwt_request_id"],
    [200, "invalid_jwt_site_key"],
    [200, "path_mismatch"],
    [401, "invalid_api_key"],
    [403, "forbidden_site_key"],
  ])("[C61] [H4] [H5] %i %s means a wrong integration", (status, error) => {
    expect(of(status, { success: false, error })).toEqual({ kind: "misconfigured", error, status });
  });

  it("[C61] [H4] any other 4xx means a wrong integration, and an unknown error is not repeated", () => {
    expect(of(429, { success: false, error: "invalid_jwt" })).toMatchObject({ error: "status_429" });
    expect(of(404, "<html>")).toMatchObject({ kind: "misconfigured", error: "status_404" });
    expect(of(200, { success: false, error: "my password is 1" })).toMatchObject({ error: "unknown_answer" });
  });

  it.each([
    [503, { success: false, error: "storage_error" }, "storage_error"],
    [200, { success: false, error: "storage_error" }, "storage_error"],
    [500, { success: false, error: "internal" }, "status_500"],
    [502, "<html>bad gateway</html>", "status_502"],
    [503, { success: true, request_id: "req_1", site_key: "shop-front" }, "status_503"],
  ])("[C62] [H4] %i %j means no verdict", (status, body, error) => {
    expect(of(status, body)).toEqual({ kind: "unavailable", error });
  });
});

describe("calls of the verifier", () => {
  it("[C62] the verifier retries a failure once with the same idempotency key", async () => {
    const { made, queries } = verifier([new Error("reset"), PASSED]);
    expect(await made.verify("a.b.c", "203.0.113.7")).toMatchObject({ kind: "verified" });
    expect(queries).toHaveLength(2);
    expect(queries[1]).toEqual(queries[0]);
    await made.verify("a.b.c", undefined);
    expect(queries[2]?.idempotency_key).not.toBe(queries[0]?.idempotency_key);
    expect(queries[2]).not.toHaveProperty("ip");
  });

  it("the verifier does not retry after a verdict", async () => {
    const invalid = { status: 200, body: '{"success":false,"error":"invalid_jwt"}' };
    const { made, queries } = verifier([invalid], 5);
    expect(await made.verify("a.b.c", undefined)).toMatchObject({ kind: "invalid" });
    expect(queries).toHaveLength(1);
  });

  it("[C62] the verifier stops after five failures, probes after ten seconds, and reports both changes", async () => {
    const answers: (VerifyAnswer | Error)[] = [DOWN, DOWN, DOWN, DOWN, DOWN, DOWN, PASSED];
    const { made, clock, queries, reports, level } = verifier(answers, 0);
    for (let i = 0; i < 7; i++)
      expect(await made.verify("a.b.c", undefined)).toMatchObject({ kind: "unavailable" });
    expect(queries).toHaveLength(5);
    expect(level("gw_captcha_plugin_breaker_open")).toBe(1);
    clock.now += 10_000;
    expect(await made.verify("a.b.c", undefined)).toMatchObject({ kind: "unavailable" });
    expect(await made.verify("a.b.c", undefined)).toMatchObject({ error: "breaker_open" });
    expect(queries).toHaveLength(6);
    clock.now += 10_000;
    expect(await made.verify("a.b.c", undefined)).toMatchObject({ kind: "verified" });
    expect(level("gw_captcha_plugin_breaker_open")).toBe(0);
    expect(reports).toEqual([
      ["captcha_unavailable", { site_key: "shop-front", error: "storage_error" }],
      ["captcha_available", { site_key: "shop-front", error: undefined }],
    ]);
    expect(level("gw_captcha_plugin_failures_total")).toBe(6);
  });

  it("an error is reported by its code without its text, which may contain the query", async () => {
    const secret = Object.assign(new Error("GET /verify?jwt=a.b.c failed"), { code: "ECONNREFUSED" });
    expect(await verifier([secret], 0).made.verify("a.b.c", undefined)).toMatchObject({
      error: "econnrefused",
    });
    const late = new DOMException("The operation was aborted", "TimeoutError");
    expect(await verifier([late], 0).made.verify("a.b.c", undefined)).toMatchObject({ error: "timeout" });
    expect(await verifier([new Error("jwt=a.b.c")], 0).made.verify("a.b.c", undefined)).toMatchObject({
      error: "failed",
    });
  });
});
