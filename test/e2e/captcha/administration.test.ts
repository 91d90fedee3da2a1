import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tick, tokenFrom } from "../../support/captcha-visitor.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";
import { CaptchaGateway, SITE_KEY, siteKey } from "./captcha-gateway.js";

let captcha: CaptchaGateway;
beforeAll(async () => {
  captcha = await CaptchaGateway.start();
});
afterAll(() => captcha.end());

const admin = (method: string, path: string, headers: Record<string, string> = {}) =>
  exchange(captcha.gateway.adminPort, method, `/gw/admin/captcha/${path}`, undefined, {
    "X-API-KEY": ProcessGateway.KEY,
    ...headers,
  });

/** Header and payload of a token, as a backend's debugger shows them. */
function claimsOf(token: string): { request_id: string; kid: string } {
  const part = (index: number) =>
    JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString()) as object;
  return { ...part(1), ...part(0) } as { request_id: string; kid: string };
}

/** Files below a directory; private: its mode or that of a folder above it lets only the owner read it. */
function filesIn(directory: string, isInside = false): { path: string; isPrivate: boolean }[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (!entry.isDirectory() && !entry.isFile()) return [];
    const isPrivate = isInside || (statSync(path).mode & 0o077) === 0;
    return entry.isDirectory() ? filesIn(path, isPrivate) : [{ path, isPrivate }];
  });
}

interface Counts {
  issued: number;
  challenged: number;
  verified: number;
  rejected: Record<string, number>;
}
async function stats(): Promise<{ total: Counts; site_keys: Record<string, Counts> }> {
  return (await admin("GET", "stats")).json as never;
}

describe("GET captcha/stats", () => {
  it("[H34] the statistics count issued, shown, verified and rejected, by site key and reason", async () => {
    const before = await stats();
    const token = await tokenFrom(captcha.url, SITE_KEY);
    await captcha.verify(token);
    await captcha.verify(token);
    await captcha.gateway.admin(
      "PUT",
      "/captcha/site-keys/sk_always_task",
      siteKey({ challenge_mode: "always" }),
    );
    expect((await tick(captcha.url, "sk_always_task")).outcome).toBe("task");
    const after = await stats();
    const own = after.site_keys[SITE_KEY];
    expect(after.total.issued - before.total.issued).toBe(1);
    expect(after.total.challenged - before.total.challenged).toBe(1);
    expect(after.total.verified - before.total.verified).toBe(1);
    expect(own?.rejected["already_used"]).toBe(1);
    expect(after.site_keys["sk_always_task"]?.challenged).toBe(1);
  });

  it("the page of statistics loads nothing, and its policy allows only its own style", async () => {
    const page = await admin("GET", "stats", { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" });
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const style = /<style>([\s\S]*)<\/style>/.exec(page.text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page.headers["content-security-policy"]).toContain(
      `default-src 'none'; style-src 'sha256-${hash}'`,
    );
    expect(page.text).not.toMatch(/<script|\bsrc=|\bhref=|\bstyle=|@import|url\(/);
    expect(page.text).toContain(`<code>${SITE_KEY}</code>`);
    const asked = await admin("GET", "stats?format=html");
    expect(asked.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect((await admin("GET", "stats?format=json", { Accept: "text/html" })).json["total"]).toBeTypeOf(
      "object",
    );
    expect((await admin("GET", "stats?format=xml")).status).toBe(400);
  });

  it("[H34] the statistics need an admin key, and only GET without a further path is known", async () => {
    expect((await admin("GET", "stats", { "X-API-KEY": "wrong" })).status).toBe(401);
    expect((await admin("GET", "stats", { "X-API-KEY": captcha.apiKey })).status).toBe(401);
    expect((await admin("POST", "stats")).status).toBe(404);
    expect((await admin("GET", "stats/more")).status).toBe(404);
  });
});

describe("GET captcha/decisions/<request_id>", () => {
  it("[H34] a decision shows reasons and verifications without token, address or user agent", async () => {
    const token = await tokenFrom(captcha.url, SITE_KEY);
    const { request_id } = claimsOf(token);
    await captcha.verify(token);
    const found = await admin("GET", `decisions/${request_id}`);
    expect(found.status).toBe(200);
    const [decision] = found.json["decisions"] as Record<string, unknown>[];
    expect(decision).toMatchObject({
      request_id,
      site_key: SITE_KEY,
      decision: "token",
      hostname: "localhost",
    });
    expect(decision?.["reasons"]).toBeInstanceOf(Array);
    expect(found.json["verifications"]).toMatchObject([{ success: true }]);
    expect(found.text).not.toContain(token);
    expect(found.text).not.toContain("127.0.0.1");
    expect(found.text).not.toContain("Mozilla");
  });

  it("an unknown decision gets 404, and an invalid id 400", async () => {
    expect((await admin("GET", "decisions/req_unknown")).status).toBe(404);
    expect((await admin("GET", "decisions/a%2Fb")).status).toBe(400);
    expect((await admin("GET", "decisions")).status).toBe(404);
  });
});

describe("POST captcha/signing-keys", () => {
  it("a dry run of a new signing key is rejected and makes no key", async () => {
    const before = claimsOf(await tokenFrom(captcha.url, SITE_KEY)).kid;
    const { status, json } = await admin("POST", "signing-keys?dry_run=true");
    expect([status, json["error_msg"]]).toEqual([
      400,
      "rotating the signing key has no dry run: remove dry_run",
    ]);
    expect(claimsOf(await tokenFrom(captcha.url, SITE_KEY)).kid).toBe(before);
  });

  it("[A24] new tokens are signed with the new key, and those of the old one still verify", async () => {
    const old = await tokenFrom(captcha.url, SITE_KEY);
    const { status, json } = await admin("POST", "signing-keys");
    expect(status).toBe(201);
    const fresh = await tokenFrom(captcha.url, SITE_KEY);
    expect(claimsOf(fresh).kid).toBe(json["kid"]);
    expect(claimsOf(old).kid).not.toBe(json["kid"]);
    expect((await captcha.verify(old)).json["success"]).toBe(true);
    expect((await captcha.verify(fresh)).json["success"]).toBe(true);
  });
});

describe("keys of the wrong kind", () => {
  it("[H32] a verification with an admin key gets 401 and is logged without the key", async () => {
    const token = await tokenFrom(captcha.url, SITE_KEY);
    const answer = await captcha.verify(token, { apiKey: ProcessGateway.KEY });
    expect([answer.status, answer.json["error"]]).toEqual([401, "invalid_api_key"]);
    await until(() => captcha.gateway.log("captcha_admin_key_on_verify").length > 0);
    expect(captcha.gateway.errors).not.toContain(ProcessGateway.KEY);
    expect((await captcha.verify(token)).json["success"]).toBe(true);
  });

  it("[H32] the admin API rejects an API key of the captcha", async () => {
    expect((await admin("GET", "site-keys", { "X-API-KEY": captcha.apiKey })).status).toBe(401);
  });
});

describe("metrics", () => {
  it("the metrics page of the gateway counts captcha decisions", async () => {
    const page = await exchange(captcha.gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    expect(page.text).toMatch(
      new RegExp(`gw_captcha_decisions_total\\{site_key="${SITE_KEY}",decision="token"\\} [1-9]`),
    );
  });
});

describe("secrets", () => {
  it("[C20] secrets are in no log, generation or public page, and in no file that others can read", async () => {
    const { gateway, apiKey } = captcha;
    const store = join(gateway.directory, "store");
    const secret = readFileSync(join(store, "captcha.secret"), "utf8").trim();
    expect(statSync(join(store, "captcha.secret")).mode & 0o777).toBe(0o600);
    expect(statSync(join(store, "captcha")).mode & 0o777).toBe(0o700);
    const token = await tokenFrom(captcha.url, SITE_KEY);
    await captcha.verify(token);
    const generations = join(store, "generations");
    const written = readdirSync(generations).map((name) => readFileSync(join(generations, name), "utf8"));
    for (const text of [gateway.errors, gateway.output, ...written])
      for (const hidden of [secret, apiKey, token]) expect(text).not.toContain(hidden);
    const holders = filesIn(gateway.directory).filter(({ path }) => {
      const bytes = readFileSync(path);
      return [secret, apiKey, token].some((hidden) => bytes.includes(hidden));
    });
    expect(holders.map(({ path }) => path)).toContain(join(store, "captcha.secret"));
    expect(holders.filter(({ isPrivate }) => !isPrivate)).toEqual([]);
    const told = await Promise.all(
      ["/captcha.js", `/f/v1/box?k=${SITE_KEY}&hl=ru&th=auto&id=1`].map((path) =>
        exchange(captcha.port, "GET", path),
      ),
    );
    for (const { text } of told) for (const hidden of [secret, apiKey]) expect(text).not.toContain(hidden);
  });
});
