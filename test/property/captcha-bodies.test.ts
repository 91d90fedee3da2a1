import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import { CaseCaptcha } from "../conformance/runner/captcha.js";
import type { CaseExchange, ConformanceCase } from "../conformance/runner/case.js";
import { comparable } from "../conformance/runner/check.js";
import { compiledCase } from "../conformance/runner/compiled.js";
import { happened } from "../conformance/runner/in-process.js";
import { predict } from "../conformance/runner/prediction.js";
import { runs } from "../support/runs.js";

// For any form, however it is sent, the simple reading of the oracle and the scanners of the plugin agree on
// the verified token, on the response, and on every byte that the upstream and the log receive.

const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };
const VERIFICATION = { "good.a.b": {}, "used.a.b": { error: "invalid_jwt" }, "1": { error: "invalid_jwt" } };

const service = new CaseCaptcha();
beforeAll(() => service.start());
afterAll(() => service.stop());

const names = fc.constantFrom("captcha-token", "a", "b", "captcha-token2");
const values = fc.constantFrom("good.a.b", "used.a.b", "", "no token", "é", "1");
const fields = fc.array(fc.tuple(names, values), { maxLength: 5 });

const urlencoded = fc.tuple(fields, fc.boolean()).map(([all, isBare]) => {
  const pairs = all.map(([name, value]) => `${name}=${encodeURIComponent(value).replace("%20", "+")}`);
  return {
    type: "application/x-www-form-urlencoded",
    body: [...pairs, ...(isBare ? ["", "b"] : [])].join("&"),
  };
});
const multipart = fc.tuple(fields, fc.boolean()).map(([all, isFile]) => ({
  type: "multipart/form-data; boundary=b",
  body: `${all
    .map(([name, value], i) => {
      const file = isFile && i === 0 ? '; filename="f"' : "";
      return `--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    })
    .join("")}--b--\r\n`,
}));
const json = fc.tuple(fields, fc.constantFrom("", " ", "\r\n\t")).map(([all, blank]) => {
  // Each name occurs once, except the token's.
  const once = all.filter(
    ([name], i) => name === "captcha-token" || all.findIndex((one) => one[0] === name) === i,
  );
  const members = once.map(
    ([name, value]) => `${JSON.stringify(name)}${blank}:${blank}${JSON.stringify(value)}`,
  );
  return { type: "application/json", body: `{${members.join(`${blank},${blank}`)}}` };
});
const exchanges = fc
  .tuple(fc.oneof(urlencoded, multipart, json), fc.option(fc.integer({ min: 1, max: 9 })))
  .map(
    ([{ type, body }, chunked]): CaseExchange => ({
      request: {
        method: "POST",
        headers: [`Content-Type: ${type}`],
        body,
        ...(chunked !== null && body !== "" && { chunked }),
      },
      expect: {},
    }),
  );

describe("the captcha plugin and its oracle", () => {
  it.each([
    ["stripping the token", {}],
    ["keeping it, within little room", { strip_field: false, max_multipart_bytes: 1_024 }],
  ])("the captcha plugin and its oracle agree on any form, %s", async (_, settings) => {
    const written: ConformanceCase = {
      name: "captcha/any-form",
      because: {},
      reference: [],
      verification: VERIFICATION,
      configuration: {
        upstreams: [{ id: "main", nodes: { "127.0.0.1:1980": 1 } }],
        routes: [
          {
            id: "r",
            uri: "/*",
            upstream_id: "main",
            plugins: {
              captcha: {
                captcha_url: `http://127.0.0.1:${service.port}`,
                site_key: "shop-front",
                api_key: "${{CAPTCHA_KEY:=spk_test}}",
                ...settings,
              },
              syslog: {
                ...{ host: "127.0.0.1", port: 514, include_req_body: true },
                log_format: { body: "$request_body" },
              },
            },
          },
        ],
      },
    };
    const { plan, artifact } = compiledCase(written);
    await fc.assert(
      fc.asyncProperty(exchanges, async (exchange) => {
        service.speakFor(written);
        const { generation, records } = capturing(artifact);
        const seen = await happened(generation, exchange, ENDS);
        seen.logs = await records();
        seen.verifications = service.asked(written);
        expect(comparable(seen)).toEqual(comparable(predict(plan, exchange, ENDS, written)));
      }),
      { numRuns: runs(250) },
    );
  });
});
