import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { capturing } from "../../../runtime/control/in-process/captured-logs.js";
import { maskedNames, redactedQuery, redactedTarget } from "../../../runtime/logging/redaction.js";
import { happened } from "../../conformance/runner/in-process.js";

const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };
const SECRETS = ["aa.bb.cc", "203.0.113.7", "spk_key_of_the_customer"];

/** Everything that loggers with default settings ship about one request. */
async function shipped(request: { method?: string; target: string; headers: string[] }): Promise<string> {
  const broker = { brokers: [{ host: "127.0.0.1", port: 9092 }], broker_topic: "t" };
  const configuration = {
    routes: [
      {
        id: "verify",
        uri: "/*",
        upstream: { nodes: { "127.0.0.1:80": 1 } },
        plugins: { syslog: { host: "127.0.0.1", port: 514 }, "broker-logger": broker },
      },
    ],
    global_rules: [{ id: "origin", plugins: { "broker-logger": { ...broker, meta_format: "origin" } } }],
  };
  const text = JSON.stringify(configuration);
  const { artifact } = compile({ sources: [{ name: "a.json", text, format: "json" }], environment: {} });
  if (artifact === undefined) throw new Error("it does not compile");
  const { generation, records } = capturing(artifact);
  await happened(generation, { request, upstream: { body: "ok" }, expect: {} }, ENDS);
  const all = await records();
  expect(all).toHaveLength(3);
  return JSON.stringify(all);
}

describe("the captcha in records of loggers with default settings", () => {
  it.each([
    ["the spec's call", "/shop-front/verify?jwt=aa.bb.cc&ip=203.0.113.7"],
    ["other spellings", "/shop-front/verify?JWT=aa.bb.cc&%69p=203.0.113.7&j%77t=aa.bb.cc"],
    ["behind a prefix", "/captcha/shop-front/verify?ip=203.0.113.7&jwt=aa.bb.cc&ip=203.0.113.7"],
  ])(
    "[H33] [A28] a record has neither jwt, ip nor key of a call of the verification endpoint: %s",
    async (_, target) => {
      const text = await shipped({ target, headers: ["X-Api-Key: spk_key_of_the_customer"] });
      for (const secret of SECRETS) expect(text).not.toContain(secret);
      expect(text).toContain("/verify?");
    },
  );

  it("[H33] a record has no token that is in a header or the query of a protected route", async () => {
    const text = await shipped({
      method: "POST",
      target: "/form?captcha-token=aa.bb.cc&ip=198.51.100.1",
      headers: ["X-Captcha-Token: aa.bb.cc"],
    });
    expect(text).not.toContain("aa.bb.cc");
    expect(text).toContain("198.51.100.1");
  });
});

describe("names that are masked on some paths", () => {
  const names = maskedNames(["jwt", "/verify?ip", "/verify?site", "/check?ip", "/no-mark"]);

  it("a name that is bound to a path is masked on that path only", () => {
    expect(redactedQuery("ip=1&site=2&jwt=3", names("/k/verify"))).toBe("ip=***&site=***&jwt=***");
    expect(redactedQuery("ip=1&site=2&jwt=3", names("/k/check"))).toBe("ip=***&site=2&jwt=***");
    expect(redactedTarget("/k?ip=1&jwt=3", names("/k"))).toBe("/k?ip=1&jwt=***");
  });

  it("the masked names are one shared set if none is bound to a path", () => {
    const everywhere = maskedNames(["jwt"]);
    expect(everywhere("/a/verify")).toBe(everywhere("/b"));
  });
});
