// API keys of the captcha through the admin API (H34): the gateway makes them and shows them once.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminGateway } from "../control/admin.js";
import { CaptchaAdmin, SITE_KEY, secretOf, valueIn } from "./captcha-admin.js";

const FILE_KEY = `spk_filedkey_${"A".repeat(43)}_5511d0`;
const FILES = `captcha_customers:
  - id: filed
captcha_site_keys:
  - { id: sk_of_the_file, customer: filed, hostnames: [example.com] }
captcha_api_keys:
  - { id: filedkey, customer: filed, key: ${FILE_KEY} }
`;
const KEY = /^spk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{6}$/;

let captcha: CaptchaAdmin;
let admin: AdminGateway;
beforeAll(async () => {
  captcha = await CaptchaAdmin.start(FILES);
  ({ admin } = captcha);
  await captcha.created("PUT", "/captcha/customers/shop", {});
});
afterAll(() => captcha.stop());

describe("captcha/api-keys", () => {
  it("[H34] [C35] an API key of POST is shown once, accepted by the service and never shown again", async () => {
    const owner = await captcha.customer("shown-once");
    await captcha.created("PUT", "/captcha/site-keys/sk_shown_once", { ...SITE_KEY, customer: owner });
    const answer = await captcha.created("POST", "/captcha/api-keys", {
      customer: owner,
      expires: 4102444800,
    });
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
    expect(await captcha.verified("sk_shown_once", secret)).toEqual([200, "invalid_jwt"]);
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
    // The key is the same after all those writes.
    expect(await captcha.verified("sk_shown_once", secret)).toEqual([200, "invalid_jwt"]);
    expect((await admin.call("DELETE", path)).status).toBe(200);
    expect(await captcha.verified("sk_shown_once", secret)).toEqual([401, "invalid_api_key"]);
  });

  it("PUT makes an API key under a chosen id, and a second PUT returns no secret", async () => {
    const answer = await captcha.created("PUT", "/captcha/api-keys/chosen01", {
      customer: await captcha.customer("chosen"),
    });
    expect(secretOf(answer)).toMatch(/^spk_chosen01_/);
    const again = await admin.call("PUT", "/captcha/api-keys/chosen01", { customer: "chosen" });
    expect([again.status, again.json["secret"]]).toEqual([200, undefined]);
    const [status, text] = await captcha.error("PUT", "/captcha/api-keys/chosen-too-long", {
      customer: "chosen",
    });
    expect([status, text]).toEqual([400, expect.stringContaining('property "id" validation failed')]);
  });

  it.each(["key", "digest"])("an API key never accepts a %s from outside", async (field) => {
    const body = { customer: "shop", [field]: "A".repeat(43) };
    const text = `the property is forbidden: ${field}, the gateway sets it`;
    expect(await captcha.error("POST", "/captcha/api-keys", body)).toEqual([400, text]);
    expect(await captcha.error("PUT", "/captcha/api-keys/outside1", body)).toEqual([400, text]);
    await captcha.created("PUT", "/captcha/api-keys/outside2", {
      customer: await captcha.customer(`outside-${field}`),
    });
    expect(await captcha.error("PATCH", "/captcha/api-keys/outside2", { [field]: null })).toEqual([
      400,
      text,
    ]);
    expect(await captcha.error("PATCH", `/captcha/api-keys/outside2/${field}`, '"x"')).toEqual([400, text]);
    await admin.call("DELETE", "/captcha/api-keys/outside2");
  });

  it("a customer has at most two live API keys until one is disabled or has expired", async () => {
    const owner = await captcha.customer("rotating");
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
    expect((await captcha.error("PATCH", path, { enabled: true }))[1]).toMatch(/more than two live API keys/);
  });

  it("six simultaneous POSTs make only two API keys", async () => {
    const owner = await captcha.customer("hurried");
    const asked = Array.from({ length: 6 }, () =>
      admin.call("POST", "/captcha/api-keys", { customer: owner }),
    );
    const answers = await Promise.all(asked);
    const made = answers.filter(({ status }) => status === 201);
    expect([made.length, answers.filter(({ status }) => status === 400).length]).toEqual([2, 4]);
    expect(new Set(made.map(secretOf)).size).toBe(2);
  });

  it("an API key of a file verifies, is not shown and cannot be written", async () => {
    expect(await captcha.verified("sk_of_the_file", FILE_KEY)).toEqual([200, "invalid_jwt"]);
    const read = await admin.call("GET", "/captcha/api-keys/filedkey");
    expect(read.text).not.toContain(FILE_KEY);
    const [status, text] = await captcha.error("PUT", "/captcha/api-keys/filedkey", { customer: "filed" });
    expect([status, text]).toEqual([400, expect.stringContaining("gateway.yaml:7")]);
  });

  it("API keys survive a restart, and neither the store nor the log contains them", async () => {
    const owner = await captcha.customer("restarted");
    await captcha.created("PUT", "/captcha/site-keys/sk_restarted", { ...SITE_KEY, customer: owner });
    const secret = secretOf(await captcha.created("POST", "/captcha/api-keys", { customer: owner }));
    await captcha.restart();
    expect(await captcha.verified("sk_restarted", secret)).toEqual([200, "invalid_jwt"]);
    const files = readdirSync(admin.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(files.length).toBeGreaterThan(2);
    expect(captcha.logged.join("")).toContain('"event":"admin_write"');
    for (const text of [...files, ...captcha.logged]) expect(text).not.toContain(secret.slice(13, 56));
  });
});
