// Customers and site keys of the captcha in the admin API: H34, with codes and shapes of reference 1.4 to
// 1.7.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdminGateway, VIEWER_KEY } from "../control/admin.js";
import { CaptchaAdmin, SITE_KEY, secretOf, valueIn } from "./captcha-admin.js";

const FILES = `captcha_customers:
  - id: filed
captcha_site_keys:
  - { id: sk_of_the_file, customer: filed, hostnames: [example.com] }
`;
const NOT_FOUND = { message: "Key not found" };

let captcha: CaptchaAdmin;
let admin: AdminGateway;
beforeAll(async () => {
  captcha = await CaptchaAdmin.start(FILES);
  ({ admin } = captcha);
  await captcha.created("PUT", "/captcha/customers/shop", {});
});
afterAll(() => captcha.stop());

describe.each([
  ["customers", "customer", "blog", {}],
  ["site-keys", "site key", "sk_of_its_life", SITE_KEY],
] as const)("captcha/%s", (segment, label, id, body) => {
  const path = `/captcha/${segment}/${id}`;
  const key = `/gw/captcha/${segment}/${id}`;

  it("[H34] a customer or site key is created with 201, replaced with 200, read, patched and deleted", async () => {
    const first = await admin.call("PUT", path, body);
    const times = { create_time: expect.any(Number), update_time: expect.any(Number) };
    expect([first.status, first.json]).toEqual([201, { key, value: { ...body, id, ...times } }]);
    const replaced = await admin.call("PUT", path, { ...body, desc: "again" });
    expect([replaced.status, replaced.json]).toMatchObject([200, { key, value: { desc: "again" } }]);
    const read = await admin.call("GET", path);
    expect(read.json).toEqual({
      ...replaced.json,
      createdIndex: expect.any(Number),
      modifiedIndex: expect.any(Number),
    });
    const patched = await admin.call("PATCH", path, { labels: { team: "web" } });
    expect(valueIn(patched)).toMatchObject({ desc: "again", labels: { team: "web" } });
    const part = await admin.call("PATCH", `${path}/labels/team`, '"shop"');
    expect(valueIn(part)["labels"]).toEqual({ team: "shop" });
    const gone = await admin.call("DELETE", path);
    expect([gone.status, gone.json]).toEqual([200, { key, deleted: "1" }]);
    for (const method of ["GET", "DELETE"]) {
      const absent = await admin.call(method, path);
      expect([absent.status, absent.json]).toEqual([404, NOT_FOUND]);
    }
  });

  it("a customer or site key is written under If-Match, and POST rejects an id", async () => {
    await captcha.created("PUT", path, body);
    const { json } = await admin.call("GET", path);
    const stale = { headers: { "If-Match": `"${Number(json["modifiedIndex"]) + 1}"` } };
    expect((await admin.call("PUT", path, body, stale)).status).toBe(412);
    const fresh = { headers: { "If-Match": `"${json["modifiedIndex"]}"` } };
    expect((await admin.call("PUT", path, body, fresh)).status).toBe(200);
    expect(await captcha.error("POST", `/captcha/${segment}`, { ...body, id })).toEqual([
      400,
      `wrong captcha ${label} id, do not need it`,
    ]);
    expect(await captcha.error("PUT", path, { ...body, id: "another-one" })).toEqual([
      400,
      `wrong captcha ${label} id`,
    ]);
    await admin.call("DELETE", path);
  });

  it("a customer or site key is listed, and its schema is described and validated", async () => {
    await captcha.created("PUT", path, body);
    const listed = await admin.call("GET", `/captcha/${segment}`);
    const keys = (listed.json["list"] as { key: string; static?: string }[]).map((item) => item.key);
    expect(keys).toEqual(expect.arrayContaining([key]));
    expect(listed.json["total"]).toBe(keys.length);
    const schema = await admin.call("GET", `/schema/captcha/${segment}`);
    expect(schema.json).toMatchObject({ type: "object", properties: { desc: {} } });
    expect((await admin.call("POST", `/schema/validate/captcha/${segment}`, body)).status).toBe(200);
    expect((await admin.call("POST", `/schema/validate/captcha/${segment}`, { colour: 1 })).status).toBe(400);
    await admin.call("DELETE", path);
  });
});

describe("captcha/site-keys", () => {
  it("POST makes a random site key", async () => {
    const answer = await captcha.created("POST", "/captcha/site-keys", SITE_KEY);
    const { id } = valueIn(answer);
    expect(id).toMatch(/^sk_[A-Za-z0-9_-]{16}$/);
    expect(answer.json["key"]).toBe(`/gw/captcha/site-keys/${id}`);
    expect((await admin.call("DELETE", `/captcha/site-keys/${id}`)).status).toBe(200);
  });

  it.each([
    ...["captcha.js", "captcha-1.2.3.abcdef.js", "api", "f", "assets", "healthz", "readyz", "metrics"],
    ...["admin", ".well-known", "sp-test-pass", "sp-test-fail", "sp-test-task", "sp-test-expired"],
    ...["short", "with.dots.in.it", "a".repeat(65)],
  ])("[A81] [H30] a site key cannot be %s", async (id) => {
    const [status, text] = await captcha.error("PUT", `/captcha/site-keys/${id}`, SITE_KEY);
    expect(status).toBe(400);
    expect(text).toMatch(/property "id" validation failed/);
    const named = await admin.call("PUT", "/captcha/site-keys", { ...SITE_KEY, id });
    expect(named.status).toBe(400);
    expect((await admin.call("GET", `/captcha/site-keys/${id}`)).status).toBe(404);
  });

  it.each([
    [{ hostnames: ["example.com"] }, /property "customer" is required/],
    [{ ...SITE_KEY, hostnames: [] }, /expect array to have at least 1 items/],
    [{ ...SITE_KEY, hostnames: ["https://example.com"] }, /invalid host of a page/],
    [{ ...SITE_KEY, threshold: 2 }, /expected 2 to be at most 1/],
    [{ ...SITE_KEY, task_types: ["text"] }, /"text" cannot be the only kind of task/],
    [
      { ...SITE_KEY, customer: "nobody" },
      /failed to fetch captcha customer info by captcha customer id \[nobody\]/,
    ],
  ])("a site key of the form %j is rejected with a message", async (body, text) => {
    const [status, message] = await captcha.error("PUT", "/captcha/site-keys/sk_refused_one", body);
    expect([status, message]).toEqual([400, expect.stringMatching(text)]);
  });

  it("a site key of a file is static, and the rejection names file and line", async () => {
    const [status, text] = await captcha.error("PUT", "/captcha/site-keys/sk_of_the_file", SITE_KEY);
    expect(status).toBe(400);
    expect(text).toContain("gateway.yaml:5");
    const read = await admin.call("GET", "/captcha/site-keys/sk_of_the_file");
    expect(read.json).toMatchObject({
      key: "/gw/captcha/site-keys/sk_of_the_file",
      static: "gateway.yaml:5:11",
    });
  });

  it("[C7] a site key selects the current settings of the widget", async () => {
    const path = "/captcha/site-keys/sk_with_settings";
    await captcha.created("PUT", path, { ...SITE_KEY, theme: "dark", languages: ["en"] });
    await captcha.created("PUT", "/captcha/site-keys/sk_with_others", {
      ...SITE_KEY,
      hostnames: ["example.org"],
    });
    expect(await captcha.frameOf("sk_with_settings")).toMatchObject({
      ...{ siteKey: "sk_with_settings", theme: "dark", language: "en", hosts: ["example.com"] },
    });
    expect(await captcha.frameOf("sk_with_others")).toMatchObject({
      ...{ siteKey: "sk_with_others", theme: "auto", language: "ru", hosts: ["example.org"] },
    });
    await admin.call("PATCH", path, { theme: "light" });
    expect(await captcha.frameOf("sk_with_settings")).toMatchObject({ theme: "light" });
    await admin.call("PATCH", path, { enabled: false });
    expect(await captcha.frameOf("sk_with_settings")).toMatchObject({ fault: "invalid_sitekey" });
  });

  it("[C34] several site keys of one customer work with one API key at once", async () => {
    const { json } = await captcha.created("POST", "/captcha/api-keys", {
      customer: await captcha.customer("two-sites"),
    });
    const apiKey = String(json["secret"]);
    const body = { ...SITE_KEY, customer: "two-sites" };
    for (const id of ["sk_first_site", "sk_other_site"]) {
      await captcha.created("PUT", `/captcha/site-keys/${id}`, body);
      expect(await captcha.verified(id, apiKey)).toEqual([200, "invalid_jwt"]);
    }
  });
});

describe("captcha/customers", () => {
  it("a customer in use is not deleted without force, and with force its API keys are rejected", async () => {
    await captcha.customer("in-use");
    const made = await captcha.created("POST", "/captcha/api-keys", { customer: "in-use" });
    await captcha.created("PUT", "/captcha/site-keys/sk_in_use_here", { ...SITE_KEY, customer: "in-use" });
    expect(await captcha.error("DELETE", "/captcha/customers/in-use")).toEqual([
      400,
      `can not delete this captcha customer, captcha api key [${valueIn(made)["id"]}] is still using it now`,
    ]);
    expect(await captcha.verified("sk_in_use_here", secretOf(made))).toEqual([200, "invalid_jwt"]);
    expect((await admin.call("DELETE", "/captcha/customers/in-use?force=true")).status).toBe(200);
    expect(await captcha.verified("sk_in_use_here", secretOf(made))).toEqual([401, "invalid_api_key"]);
    await captcha.created("PUT", "/captcha/customers/in-use", {});
    expect(await captcha.verified("sk_in_use_here", secretOf(made))).toEqual([200, "invalid_jwt"]);
  });

  it("a customer needs an admin key to be written, and a viewer key reads it", async () => {
    const path = "/captcha/customers/shop";
    expect((await admin.call("GET", path, undefined, { key: null })).status).toBe(401);
    expect((await admin.call("GET", path, undefined, { key: VIEWER_KEY })).status).toBe(200);
    expect((await admin.call("PUT", path, {}, { key: VIEWER_KEY })).status).toBe(401);
  });
});

describe("other paths below captcha/", () => {
  it.each(["/captcha", "/captcha/keys", "/captcha/site_keys/sk_of_the_file", "/captcha_site_keys"])(
    "the path %s is no resource",
    async (path) => {
      const { status, json } = await admin.call("GET", path);
      expect([status, json["error_msg"]]).toEqual([
        404,
        `Unsupported resource type: ${path.slice(1).split("/").slice(0, 2).join("/")}`,
      ]);
    },
  );
});
