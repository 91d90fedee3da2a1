import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { tick, tokenFrom } from "../../support/captcha-visitor.js";
import { LineServer } from "../../support/line-server.js";
import { until } from "../../support/patience.js";
import { RedisServer } from "../../support/redis-server.js";
import { CaptchaGateway, SITE_KEY, siteKey } from "./captcha-gateway.js";

const running: { end(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.end();
});
async function start(section: object, build = false): Promise<CaptchaGateway> {
  const captcha = await CaptchaGateway.start(section, build);
  running.push(captcha);
  return captcha;
}

describe("two nodes with one Redis and one secret", () => {
  it("two nodes with one Redis verify a token once and share signing keys, and do not log the Redis password", async () => {
    const redis = await RedisServer.start();
    running.push({ end: () => redis.stop() });
    await redis.command("CONFIG SET requirepass redis-password");
    const url = redis.url.replace("redis://", "redis://:redis-password@");
    const section = { secret: "a secret of both nodes", store: { type: "redis", url, timeout: 10_000 } };
    const [one, two] = [await start(section), await start(section)];
    const token = await tokenFrom(one.url, SITE_KEY);
    const answers = await Promise.all(
      [one, two, one, two, one, two].map(async (node) => (await node.verify(token)).json["success"]),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    await two.gateway.admin("POST", "/captcha/signing-keys");
    const fresh = await tokenFrom(two.url, SITE_KEY);
    expect((await one.verify(fresh)).json["success"]).toBe(true);
    for (const { gateway } of [one, two]) expect(gateway.errors).not.toContain("redis-password");
  });

  it("a node responds with storage_error while Redis is away, and serves again when it is back", async () => {
    const redis = await RedisServer.start();
    running.push({ end: () => redis.stop() });
    const captcha = await start({
      secret: "a secret of this node",
      store: { type: "redis", url: redis.url, timeout: 10_000 },
    });
    const token = await tokenFrom(captcha.url, SITE_KEY);
    await redis.kill();
    const away = await captcha.verify(token);
    expect([away.status, away.json["error"]]).toEqual([503, "storage_error"]);
    await redis.up();
    const fresh = await until(() => tokenFrom(captcha.url, SITE_KEY).catch(() => undefined));
    expect((await captcha.verify(fresh)).json["success"]).toBe(true);
  });
});

describe("audit records", () => {
  it("captcha.audit sends one syslog record for each decision and verification, without secrets", async () => {
    const server = await LineServer.start();
    running.push({ end: () => server.stop() });
    const audit = { syslog: { host: "127.0.0.1", port: server.port, batch_max_size: 1 } };
    const captcha = await start({ audit });
    const token = await tokenFrom(captcha.url, SITE_KEY);
    await captcha.verify(token);
    await captcha.gateway.admin(
      "PUT",
      "/captcha/site-keys/sk_always_task",
      siteKey({ challenge_mode: "always" }),
    );
    await tick(captcha.url, "sk_always_task");
    const records = await server.records(3);
    expect(records).toMatchObject([
      { event: "captcha_decision", site_key: SITE_KEY, decision: "token" },
      { event: "captcha_verification", site_key: SITE_KEY, success: true },
      { event: "captcha_decision", site_key: "sk_always_task", decision: "task" },
    ]);
    for (const hidden of [token, captcha.apiKey, "127.0.0.1", "Mozilla"])
      expect(server.lines.map((line) => line.slice(line.indexOf("{"))).join("\n")).not.toContain(hidden);
  });
});

describe("a build with a captcha", () => {
  it("a build serves its captcha, and holds neither captcha.secret nor the API key", async () => {
    const secret = "a secret that is written out";
    const captcha = await start({ secret }, true);
    const token = await tokenFrom(captcha.url, SITE_KEY);
    expect((await captcha.verify(token)).json["success"]).toBe(true);
    const dist = join(captcha.gateway.directory, "dist");
    const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
    for (const hidden of [secret, captcha.apiKey]) expect(text).not.toContain(hidden);
    const page = await captcha.gateway.admin("GET", "/captcha/stats");
    expect((page.json["total"] as { verified: number }).verified).toBe(1);
  });
});
