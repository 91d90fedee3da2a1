// Captcha resources through the admin API: H34, with the codes and shapes of reference 1.4 to 1.7.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { adopt } from "../../../compiler/cli/adopt.js";
import { switchLog } from "../../../runtime/process/log.js";
import { ADMIN_KEY, type AdminAnswer, AdminGateway, exchange, VIEWER_KEY } from "../control/admin.js";

const FILE_KEY = `spk_filedkey_${"A".repeat(43)}_5511d0`;
const FILES = `captcha:
  listen: { ip: 127.0.0.1, port: 0 }
  store: { type: memory }
captcha_customers:
  - id: filed
captcha_site_keys:
  - { id: sk_of_the_file, customer: filed, hostnames: [example.com] }
captcha_api_keys:
  - { id: filedkey, customer: filed, key: ${FILE_KEY} }
`;
const KEY = /^spk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{6}$/;
const SITE_KEY = { customer: "shop", hostnames: ["example.com"] };
const NOT_FOUND = { message: "Key not found" };

let admin: AdminGateway;
const logged: string[] = [];

beforeAll(async () => {
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  vi.spyOn(process.stderr, "write").mockImplementation((text) => logged.push(String(text)) > 0);
  admin = await AdminGateway.start(FILES);
  switchLog(true);
  await created("PUT", "/captcha/customers/shop", {});
});
afterAll(async () => {
  switchLog(false);
  await admin.stop();
  vi.restoreAllMocks();
});

async function created(method: string, path: string, body: unknown): Promise<AdminAnswer> {
  const answer = await admin.call(method, path, body);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer;
}

async function error(method: string, path: string, body?: unknown): Promise<[number, string]> {
  const { status, json } = await admin.call(method, path, body);
  return [status, String(json["error_msg"])];
}

const valueIn = ({ json }: AdminAnswer) => json["value"] as Record<string, unknown>;
const secretOf = ({ json }: AdminAnswer) => String(json["secret"]);

/** A customer of its own, for tests that count keys. */
async function customer(id: string): Promise<string> {
  await created("PUT", `/captcha/customers/${id}`, {});
  return id;
}

/** Status and error of a verification of something that is no token. */
async function verified(siteKey: string, apiKey: string): Promise<[number, unknown]> {
  const { status, json } = await exchange(
    admin.gateway.addresses.captcha[0]?.port ?? 0,
    "GET",
    `/${siteKey}/verify?jwt=nothing`,
    undefined,
    { "X-Api-Key": apiKey },
  );
  return [status, json["error"]];
}

/** What the frame of the checkbox is told about a site key. */
async function frameOf(siteKey: string): Promise<Record<string, unknown>> {
  const port = admin.gateway.addresses.captcha[0]?.port ?? 0;
  const { status, text } = await exchange(port, "GET", `/f/v1/box?k=${siteKey}`);
  expect(status).toBe(200);
  const [, told = "{}"] =
    /<script type="application\/json" id="configuration">(.*?)<\/script>/s.exec(text) ?? [];
  return JSON.parse(told) as Record<string, unknown>;
}

describe.each([
  ["customers", "customer", "blog", {}],
  ["site-keys", "site key", "sk_of_its_life", SITE_KEY],
] as const)("captcha/%s", (segment, label, id, body) => {
  const path = `/captcha/${segment}/${id}`;
  const key = `/gw/captcha/${segment}/${id}`;

  it("[H34] are created with 201, replaced with 200, read, patched and deleted", async () => {
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

  it("are written under If-Match, and refuse an id in POST", async () => {
    await created("PUT", path, body);
    const { json } = await admin.call("GET", path);
    const stale = { headers: { "If-Match": `"${Number(json["modifiedIndex"]) + 1}"` } };
    expect((await admin.call("PUT", path, body, stale)).status).toBe(412);
    const fresh = { headers: { "If-Match": `"${json["modifiedIndex"]}"` } };
    expect((await admin.call("PUT", path, body, fresh)).status).toBe(200);
    expect(await error("POST", `/captcha/${segment}`, { ...body, id })).toEqual([
      400,
      `wrong captcha ${label} id, do not need it`,
    ]);
    expect(await error("PUT", path, { ...body, id: "another-one" })).toEqual([
      400,
      `wrong captcha ${label} id`,
    ]);
    await admin.call("DELETE", path);
  });

  it("are listed with those of the files, and described and checked by the schema", async () => {
    await created("PUT", path, body);
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
  it("get a key that nobody can guess from POST", async () => {
    const answer = await created("POST", "/captcha/site-keys", SITE_KEY);
    const { id } = valueIn(answer);
    expect(id).toMatch(/^sk_[A-Za-z0-9_-]{16}$/);
    expect(answer.json["key"]).toBe(`/gw/captcha/site-keys/${id}`);
    expect((await admin.call("DELETE", `/captcha/site-keys/${id}`)).status).toBe(200);
  });

  it.each([
    ...["captcha.js", "captcha-1.2.3.abcdef.js", "api", "f", "assets", "healthz", "readyz", "metrics"],
    ...["admin", ".well-known", "sp-test-pass", "sp-test-fail", "sp-test-task", "sp-test-expired"],
    ...["short", "with.dots.in.it", "a".repeat(65)],
  ])("[A81] [H30] cannot be %s", async (id) => {
    const [status, text] = await error("PUT", `/captcha/site-keys/${id}`, SITE_KEY);
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
    [{ ...SITE_KEY, task_types: ["text"] }, /"text" cannot be the only task/],
    [
      { ...SITE_KEY, customer: "nobody" },
      /failed to fetch captcha customer info by captcha customer id \[nobody\]/,
    ],
  ])("are refused as %j", async (body, text) => {
    const [status, message] = await error("PUT", "/captcha/site-keys/sk_refused_one", body);
    expect([status, message]).toEqual([400, expect.stringMatching(text)]);
  });

  it("of a file are static: the refusal names file and line", async () => {
    const [status, text] = await error("PUT", "/captcha/site-keys/sk_of_the_file", SITE_KEY);
    expect(status).toBe(400);
    expect(text).toContain("gateway.yaml:7");
    const read = await admin.call("GET", "/captcha/site-keys/sk_of_the_file");
    expect(read.json).toMatchObject({
      key: "/gw/captcha/site-keys/sk_of_the_file",
      static: "gateway.yaml:7:11",
    });
  });

  it("[C7] pick the settings of the widget, as they are now", async () => {
    const path = "/captcha/site-keys/sk_with_settings";
    await created("PUT", path, { ...SITE_KEY, theme: "dark", languages: ["en"] });
    await created("PUT", "/captcha/site-keys/sk_with_others", { ...SITE_KEY, hostnames: ["example.org"] });
    expect(await frameOf("sk_with_settings")).toMatchObject({
      ...{ siteKey: "sk_with_settings", theme: "dark", language: "en", hosts: ["example.com"] },
    });
    expect(await frameOf("sk_with_others")).toMatchObject({
      ...{ siteKey: "sk_with_others", theme: "auto", language: "ru", hosts: ["example.org"] },
    });
    await admin.call("PATCH", path, { theme: "light" });
    expect(await frameOf("sk_with_settings")).toMatchObject({ theme: "light" });
    await admin.call("PATCH", path, { enabled: false });
    expect(await frameOf("sk_with_settings")).toMatchObject({ fault: "invalid_sitekey" });
  });

  it("[C34] several of one customer are taken by the service at once, and let go with the answer", async () => {
    const { json } = await created("POST", "/captcha/api-keys", { customer: await customer("two-sites") });
    const apiKey = String(json["secret"]);
    const body = { ...SITE_KEY, customer: "two-sites" };
    for (const id of ["sk_first_site", "sk_other_site"]) {
      await created("PUT", `/captcha/site-keys/${id}`, body);
      expect(await verified(id, apiKey)).toEqual([200, "invalid_jwt"]);
    }
  });
});

describe("captcha/customers", () => {
  it("in use are not deleted, and by force leave keys that are refused", async () => {
    await customer("in-use");
    const made = await created("POST", "/captcha/api-keys", { customer: "in-use" });
    await created("PUT", "/captcha/site-keys/sk_in_use_here", { ...SITE_KEY, customer: "in-use" });
    expect(await error("DELETE", "/captcha/customers/in-use")).toEqual([
      400,
      `can not delete this captcha customer, captcha api key [${valueIn(made)["id"]}] is still using it now`,
    ]);
    expect(await verified("sk_in_use_here", secretOf(made))).toEqual([200, "invalid_jwt"]);
    expect((await admin.call("DELETE", "/captcha/customers/in-use?force=true")).status).toBe(200);
    expect(await verified("sk_in_use_here", secretOf(made))).toEqual([401, "invalid_api_key"]);
    await created("PUT", "/captcha/customers/in-use", {});
    expect(await verified("sk_in_use_here", secretOf(made))).toEqual([200, "invalid_jwt"]);
  });

  it("need an admin key, and are read-only for viewers", async () => {
    const path = "/captcha/customers/shop";
    expect((await admin.call("GET", path, undefined, { key: null })).status).toBe(401);
    expect((await admin.call("GET", path, undefined, { key: VIEWER_KEY })).status).toBe(200);
    expect((await admin.call("PUT", path, {}, { key: VIEWER_KEY })).status).toBe(401);
  });
});

describe("captcha/api-keys", () => {
  it("[H34] [C35] are made by POST: shown once, accepted by the service, never shown again", async () => {
    const owner = await customer("shown-once");
    await created("PUT", "/captcha/site-keys/sk_shown_once", { ...SITE_KEY, customer: owner });
    const answer = await created("POST", "/captcha/api-keys", { customer: owner, expires: 4102444800 });
    const secret = secretOf(answer);
    const { id } = valueIn(answer);
    expect(secret).toMatch(KEY);
    expect(secret.slice(4, 12)).toBe(id);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.json["key"]).toBe(`/gw/captcha/api-keys/${id}`);
    expect(valueIn(answer)).toEqual({
      ...{ id, customer: owner, expires: 4102444800 },
      ...{ create_time: expect.any(Number), update_time: expect.any(Number) },
    });
    expect(await verified("sk_shown_once", secret)).toEqual([200, "invalid_jwt"]);
    const path = `/captcha/api-keys/${id}`;
    const seen = [
      await admin.call("GET", path),
      await admin.call("GET", "/captcha/api-keys"),
      await admin.call("PUT", path, { customer: owner, desc: "renamed" }),
      await admin.call("PATCH", path, { desc: "again" }),
    ];
    for (const { status, text } of seen) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/digest|secret|spk_/);
    }
    // The same key after all those writes.
    expect(await verified("sk_shown_once", secret)).toEqual([200, "invalid_jwt"]);
    expect((await admin.call("DELETE", path)).status).toBe(200);
    expect(await verified("sk_shown_once", secret)).toEqual([401, "invalid_api_key"]);
  });

  it("are made by PUT under a chosen id", async () => {
    const answer = await created("PUT", "/captcha/api-keys/chosen01", { customer: await customer("chosen") });
    expect(secretOf(answer)).toMatch(/^spk_chosen01_/);
    const again = await admin.call("PUT", "/captcha/api-keys/chosen01", { customer: "chosen" });
    expect([again.status, again.json["secret"]]).toEqual([200, undefined]);
    const [status, text] = await error("PUT", "/captcha/api-keys/chosen-too-long", { customer: "chosen" });
    expect([status, text]).toEqual([400, expect.stringContaining('property "id" validation failed')]);
  });

  it.each(["key", "digest"])("never take a %s from outside, and never change it", async (field) => {
    const body = { customer: "shop", [field]: "A".repeat(43) };
    const text = `the property is forbidden: ${field}, the gateway makes it`;
    expect(await error("POST", "/captcha/api-keys", body)).toEqual([400, text]);
    expect(await error("PUT", "/captcha/api-keys/outside1", body)).toEqual([400, text]);
    await created("PUT", "/captcha/api-keys/outside2", { customer: await customer(`outside-${field}`) });
    expect(await error("PATCH", "/captcha/api-keys/outside2", { [field]: null })).toEqual([400, text]);
    expect(await error("PATCH", `/captcha/api-keys/outside2/${field}`, '"x"')).toEqual([400, text]);
    await admin.call("DELETE", "/captcha/api-keys/outside2");
  });

  it("are two at a time: the third is refused until one is disabled, deleted or has expired", async () => {
    const owner = await customer("rotating");
    const made = async (more = {}) => admin.call("POST", "/captcha/api-keys", { customer: owner, ...more });
    const [first, second] = [await made(), await made()];
    expect([first.status, second.status]).toEqual([201, 201]);
    const third = await made();
    expect([third.status, third.json["error_msg"]]).toEqual([
      400,
      'captcha_customer "rotating" has more than two live API keys',
    ]);
    expect(third.text).not.toContain("spk_");
    expect((await made({ expires: "2020-01-01T00:00:00Z" })).status).toBe(201);
    const path = `/captcha/api-keys/${valueIn(first)["id"]}`;
    expect((await admin.call("PATCH", path, { enabled: false })).status).toBe(200);
    expect((await made()).status).toBe(201);
    expect((await error("PATCH", path, { enabled: true }))[1]).toMatch(/more than two live API keys/);
  });

  it("of a file verify, show no key and cannot be written", async () => {
    expect(await verified("sk_of_the_file", FILE_KEY)).toEqual([200, "invalid_jwt"]);
    const read = await admin.call("GET", "/captcha/api-keys/filedkey");
    expect(read.text).not.toContain(FILE_KEY);
    const [status, text] = await error("PUT", "/captcha/api-keys/filedkey", { customer: "filed" });
    expect([status, text]).toEqual([400, expect.stringContaining("gateway.yaml:9")]);
  });

  it("survive a restart on the same store, of which no file and no log line holds one", async () => {
    const owner = await customer("restarted");
    await created("PUT", "/captcha/site-keys/sk_restarted", { ...SITE_KEY, customer: owner });
    const secret = secretOf(await created("POST", "/captcha/api-keys", { customer: owner }));
    await admin.gateway.close(0);
    await admin.open();
    switchLog(true);
    expect(await verified("sk_restarted", secret)).toEqual([200, "invalid_jwt"]);
    const files = readdirSync(admin.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(files.length).toBeGreaterThan(2);
    expect(logged.join("")).toContain('"event":"admin_write"');
    for (const text of [...files, ...logged]) expect(text).not.toContain(secret.slice(13, 56));
  });
});

describe("files", () => {
  const SECTION = "captcha: { listen: { ip: 127.0.0.1, port: 0 }, store: { type: memory } }\n";
  const moved = (customers: string, theme: string) =>
    `${SECTION}captcha_customers:\n  - { id: ${customers} }\ncaptcha_site_keys:
  - { id: sk_moved_here, customer: mover, hostnames: [example.com], theme: ${theme} }\n`;
  let own: AdminGateway;
  beforeAll(async () => {
    own = await AdminGateway.start(SECTION);
    switchLog(true);
  });
  afterAll(() => own.stop());

  const themeServed = async () => {
    const port = own.gateway.addresses.captcha[0]?.port ?? 0;
    const { text } = await exchange(port, "GET", "/f/v1/box?k=sk_moved_here");
    return /"theme":"(\w+)"/.exec(text)?.[1];
  };

  it("take over stored resources by gwc adopt, and are read again by a reload", async () => {
    await own.call("PUT", "/captcha/customers/stays", {});
    await own.call("PUT", "/captcha/site-keys/sk_moved_here", {
      ...{ customer: "stays", hostnames: ["example.com"], theme: "dark" },
    });
    expect(await themeServed()).toBe("dark");
    const gwcAdopt = (name: string) =>
      adopt(name, { key: ADMIN_KEY, admin: `http://127.0.0.1:${own.port("admin")}` });
    expect(await gwcAdopt("captcha/site-keys/sk_moved_here")).toBe(1);
    expect(logged.join("")).toContain("no configuration file defines captcha/site-keys/sk_moved_here");
    own.write(moved("mover", "light"));
    expect(await own.gateway.reload()).toBe(false);
    expect(await gwcAdopt("captcha/site-keys/sk_moved_here")).toBe(0);
    expect(await themeServed()).toBe("light");
    own.write(moved("mover", "auto"));
    expect(await own.gateway.reload()).toBe(true);
    expect(await themeServed()).toBe("auto");
  });

  it("that break a reference are refused whole, and what runs goes on", async () => {
    own.write(moved("somebody-else", "dark"));
    expect(await own.gateway.reload()).toBe(false);
    expect(logged.join("")).toMatch(
      /GW3010: "customer" names captcha_customer "mover", which does not exist/,
    );
    expect(await themeServed()).toBe("auto");
  });

  it.each(["sk_moved_here", "captcha/sk_moved_here/", "captcha/site-keys/a/b"])(
    "%s is not what gwc adopt can be asked for",
    async (name) => {
      expect(await adopt(name, { key: ADMIN_KEY, admin: "http://127.0.0.1:1" })).toBe(2);
    },
  );
});

describe("other paths below captcha/", () => {
  it.each(["/captcha", "/captcha/keys", "/captcha/site_keys/sk_of_the_file", "/captcha_site_keys"])(
    "%s is no resource",
    async (path) => {
      const { status, json } = await admin.call("GET", path);
      expect([status, json["error_msg"]]).toEqual([
        404,
        `Unsupported resource type: ${path.slice(1).split("/").slice(0, 2).join("/")}`,
      ]);
    },
  );
});
