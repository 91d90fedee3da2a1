// Any write to captcha resources is accepted or rejected without a failure, and only the response of a new
// key contains a key.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminGateway } from "../control/admin.js";
import { CaptchaAdmin, SITE_KEY } from "./captcha-admin.js";

let captcha: CaptchaAdmin;
let admin: AdminGateway;
beforeAll(async () => {
  captcha = await CaptchaAdmin.start();
  ({ admin } = captcha);
  await captcha.created("PUT", "/captcha/customers/shop", {});
  await captcha.created("PUT", "/captcha/site-keys/sk_target_here", SITE_KEY);
  await captcha.created("PUT", "/captcha/api-keys/target01", { customer: "shop" });
});
afterAll(() => captcha.stop());

const odd = fc.constantFrom<unknown>(
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    "",
    " ",
    "a",
    "shop",
    "\u0000",
    "\ud800",
    "x".repeat(300),
  ],
  ...[
    "${{KEY}}",
    "spk_target01_x",
    "2027-01-01T00:00:00Z",
    "sp-test-pass",
    "__proto__",
    "*.example.com",
    "::1",
  ],
  ...[[], ["text"], ["example.com"], [null], [[]], {}, { a: 1 }, { length: 1 }],
);
const field = fc.constantFrom(
  ...["id", "customer", "enabled", "hostnames", "threshold", "challenge_mode", "task_types", "pow_bits"],
  ...[
    "ip_binding",
    "token_ttl",
    "languages",
    "theme",
    "desc",
    "labels",
    "expires",
    "key",
    "digest",
    "secret",
  ],
  ...["create_time", "__proto__", "constructor", "toString"],
);
/** JSON text, so that "__proto__" is a member like any other. */
const body = fc
  .array(fc.tuple(field, odd), { maxLength: 5 })
  .map((members) => members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`))
  .chain((members) =>
    fc.constantFrom("", '"customer":"shop"', '"customer":"shop","hostnames":["example.com"]').map((known) => {
      return `{${[known, ...members].filter((member) => member !== "").join(",")}}`;
    }),
  );
const kind = fc.constantFrom("customers", "site-keys", "api-keys");
const id = fc.constantFrom(
  ...["shop", "sk_target_here", "target01", "newkey01", "sk_another_one", "constructor", "__proto__"],
  ...["..", "%2e%2e", "%00", "captcha.js", "ключ", "a/b", "x".repeat(80)],
);

/** Path of the admin API of a key, which begins with "/gw". */
const pathOf = (key: unknown) => String(key).replace(/^\/gw\//, "/");

describe("writes of anything", () => {
  /** Path and value of each resource as the responses to writes showed it. */
  const expected = new Map<string, unknown>();

  it("any write is accepted or rejected, and only the response of a new key contains one", async () => {
    const call = fc.record({ method: fc.constantFrom("PUT", "POST", "PATCH"), kind, id, body });
    const seen = new Set<number>();
    for (const path of ["customers/shop", "site-keys/sk_target_here", "api-keys/target01"])
      expected.set(`/captcha/${path}`, (await admin.call("GET", `/captcha/${path}`)).json["value"]);
    await fc.assert(
      fc.asyncProperty(call, async ({ method, kind: segment, id: name, body: text }) => {
        const path = `/captcha/${segment}${method === "POST" ? "" : `/${encodeURI(name)}`}`;
        const { status, json, text: answer } = await admin.call(method, path, text);
        seen.add(status);
        expect([200, 201, 400, 404], answer).toContain(status);
        const { secret, ...rest } = json;
        if (status < 300) expected.set(pathOf(json["key"]), json["value"]);
        if (secret !== undefined) expect([status, segment]).toEqual([201, "api-keys"]);
        expect(Object.keys((rest["value"] as object | undefined) ?? {})).not.toContain("digest");
        expect(JSON.stringify(rest)).not.toMatch(/spk_[a-z0-9]{8}_[\w-]{43}_/);
      }),
      { numRuns: 300 },
    );
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 201, 400]));
    expect({}).not.toHaveProperty("customer");
  });

  it("hostile writes change no resource but as the response to an accepted write shows it", async () => {
    expect(expected.size).toBeGreaterThan(3);
    for (const [path, value] of expected) {
      const { status, json } = await admin.call("GET", encodeURI(path));
      expect([path, status, json["value"]]).toEqual([path, 200, value]);
    }
    for (const segment of ["customers", "site-keys", "api-keys"]) {
      const { status, json } = await admin.call("GET", `/captcha/${segment}`);
      const listed = (json["list"] as { key: string }[]).map(({ key }) => pathOf(key));
      const known = [...expected.keys()].filter((path) => path.startsWith(`/captcha/${segment}/`));
      expect([status, listed.sort()]).toEqual([200, known.sort()]);
    }
  });

  it("site keys can still be listed and written after the hostile writes", async () => {
    const { status } = await admin.call("GET", "/captcha/site-keys");
    expect(status).toBe(200);
    const ready = await admin.call("PUT", "/captcha/site-keys/sk_after_all", SITE_KEY);
    expect(ready.status, ready.text).toBe(201);
  });
});
