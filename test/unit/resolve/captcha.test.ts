import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { canonicalPlan } from "../../../compiler/4-plan/fingerprint.js";
import { compile } from "../../../compiler/index.js";
import type { CaptchaTable } from "../../../plugins/captcha/captcha-table.js";

const PUBLIC = `captcha: { url: "https://captcha.example.com" }
captcha_customers:
  - { id: shop, desc: "The shop", labels: { team: web } }
  - { id: 7, enabled: false }
`;
const KEY = `spk_aaaaaaa1_${"A".repeat(43)}_01ab23`;

function compiled(yaml: string, more: Partial<Parameters<typeof compile>[0]> = {}) {
  return compile({
    sources: [{ name: "gateway.yaml", text: yaml, format: "yaml" }],
    environment: {},
    ...more,
  });
}

function tableOf(yaml: string, more = {}) {
  const { artifact, diagnostics } = compiled(PUBLIC + yaml, more);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return artifact?.tables?.["captcha"] as CaptchaTable | undefined;
}

function codesOf(yaml: string, more = {}): string[] {
  return compiled(PUBLIC + yaml, more).diagnostics.map(({ code }) => code);
}

const siteKeys = (...keys: string[]) => `captcha_site_keys:\n${keys.map((key) => `  - ${key}\n`).join("")}`;

describe("site keys", () => {
  it("[H6] [H7] a site key has the defaults 300 s, threshold 0.5 and adaptive mode", () => {
    const table = tableOf(siteKeys("{ id: sk_shop_login, customer: shop, hostnames: [example.com] }"));
    expect(table?.siteKeys).toEqual([
      {
        id: "sk_shop_login",
        customer: "shop",
        enabled: true,
        hostnames: ["example.com"],
        embedHosts: [],
        threshold: 0.5,
        challengeMode: "adaptive",
        taskTypes: ["shapes", "rings", "text", "audio"],
        patience: true,
        powBits: 14,
        work: "adaptive",
        ipBinding: "prefix",
        tokenTtl: 300,
        exposeScore: false,
        operator: null,
        shadow: false,
        languages: ["ru", "en"],
        theme: "auto",
      },
    ]);
  });

  it("[V11] a site key has no embed_hosts by default and lists each host once in its normalized form", () => {
    const of = (hosts: string) =>
      tableOf(
        siteKeys(`{ id: sk_shop_login, customer: shop, hostnames: [example.com], embed_hosts: ${hosts} }`),
      )?.siteKeys[0]?.embedHosts;
    expect(of("[]")).toEqual([]);
    expect(of("[Partner.Example., partner.example, 192.0.2.8]")).toEqual(["partner.example", "192.0.2.8"]);
  });

  it("[V10] a site key names its operator, with or without a link", () => {
    const of = (operator: string) =>
      tableOf(
        siteKeys(`{ id: sk_shop_login, customer: shop, hostnames: [example.com], operator: ${operator} }`),
      )?.siteKeys[0]?.operator;
    expect(of("{ name: Shop }")).toEqual({ name: "Shop", link: null });
    const link = "https://example.com/contact";
    expect(of(`{ name: Shop, link: "${link}" }`)).toEqual({ name: "Shop", link });
  });

  it("[H6] [H7] a site key has a token_ttl of 60 to 600 s, a threshold from 0 to 1 and a known mode", () => {
    const of = (fields: string) =>
      tableOf(siteKeys(`{ id: sk_shop_login, customer: shop, hostnames: [example.com], ${fields} }`))
        ?.siteKeys[0];
    for (const tokenTtl of [60, 600]) expect(of(`token_ttl: ${tokenTtl}`)).toMatchObject({ tokenTtl });
    for (const threshold of [0, 1]) expect(of(`threshold: ${threshold}`)).toMatchObject({ threshold });
    for (const challengeMode of ["adaptive", "always", "never"])
      expect(of(`challenge_mode: ${challengeMode}`)).toMatchObject({ challengeMode });
    const key = "{ id: sk_shop_login, customer: shop, hostnames: [example.com], ";
    for (const bad of ["token_ttl: 59", "token_ttl: 601", "threshold: -0.01", "threshold: 1.01"])
      expect(codesOf(siteKeys(`${key}${bad} }`)), bad).toContain("GW2105");
    expect(codesOf(siteKeys(`${key}challenge_mode: maybe }`))).toContain("GW2104");
  });

  it("[C34] one customer has several site keys, each with its own settings", () => {
    const table = tableOf(
      siteKeys(
        "{ id: sk_shop_order, customer: shop, hostnames: [example.com], threshold: 0.7 }",
        "{ id: sk_shop_login, customer: shop, hostnames: [example.org], threshold: 0.3 }",
      ),
    );
    expect(table?.siteKeys.map(({ id, customer, threshold }) => [id, customer, threshold])).toEqual([
      ["sk_shop_login", "shop", 0.3],
      ["sk_shop_order", "shop", 0.7],
    ]);
  });

  it("a site key spells its hosts as browsers do, without duplicates", () => {
    const hosts =
      '[Example.COM, example.com., "2001:DB8:0::7", "[2001:db8::7]", 192.0.2.7, localhost, x_y.test]';
    const table = tableOf(siteKeys(`{ id: sk_shop_login, customer: shop, hostnames: ${hosts} }`));
    expect(table?.siteKeys[0]?.hostnames).toEqual([
      "example.com",
      "[2001:db8::7]",
      "192.0.2.7",
      "localhost",
      "x_y.test",
    ]);
  });

  it("[H30] a site key consists of 8 to 64 letters, digits, _ and -", () => {
    const of = (id: string) =>
      codesOf(siteKeys(`{ id: ${JSON.stringify(id)}, customer: shop, hostnames: [example.com] }`));
    for (const good of ["a".repeat(8), "a".repeat(64), "A-Z_a-z0-9"])
      expect(of(good), good).toEqual(["GW3011"]);
    for (const bad of ["a".repeat(7), "a".repeat(65), "with.dots", "with/slash", "mit_ümlaut", "%41aaaaaaa"])
      expect(of(bad), bad).toContain("GW2106");
  });

  it.each([
    ...["captcha.js", "captcha-1.0.0.abcdef.js", "captcha-x.js", "CAPTCHA.JS"],
    ...["api", "f", "assets", "healthz", "readyz", "metrics", "admin", ".well-known"],
    ...["sp-test-pass", "sp-test-fail", "sp-test-task", "sp-test-expired", "SP-TEST-pass"],
  ])("[A81] [H30] a site key called %s is an error, because the name is reserved", (id) => {
    const yaml = siteKeys(`{ id: ${id}, customer: shop, hostnames: [example.com] }`);
    const { artifact, diagnostics } = compiled(PUBLIC + yaml);
    expect(artifact).toBeUndefined();
    const found = diagnostics.find(({ severity }) => severity === "error");
    expect(found).toMatchObject({
      code: expect.stringMatching(/^GW2(?:106|123)$/),
      span: { start: { line: 6 } },
    });
  });
});

describe("API keys", () => {
  const keys = (...list: string[]) => `captcha_api_keys:\n${list.map((key) => `  - ${key}\n`).join("")}`;

  it("[C35] an API key identifies its customer", () => {
    const table = tableOf(
      keys(
        "{ id: bbbbbbb2, customer: 7, key: '${{B}}', expires: 1893456000 }",
        "{ id: aaaaaaa1, customer: shop, key: '${{A}}', expires: '2030-01-01T03:00:00.5+03:00' }",
      ),
    );
    expect(table?.apiKeys).toEqual([
      {
        ...{ id: "aaaaaaa1", customer: "shop", enabled: true },
        ...{ expires: 1893456000, digest: null, secret: "${{A}}" },
      },
      {
        ...{ id: "bbbbbbb2", customer: "7", enabled: true },
        ...{ expires: 1893456000, digest: null, secret: "${{B}}" },
      },
    ]);
    expect(table?.customers).toEqual([
      { id: "7", enabled: false },
      { id: "shop", enabled: true },
    ]);
  });

  it("an API key in plain text appears in no artifact, plan or diagnostic; the plan has only its name", () => {
    const { artifact, plan, secrets, diagnostics, pluginSecrets } = compiled(
      `${PUBLIC}${keys(`{ id: aaaaaaa1, customer: shop, key: ${KEY} }`)}`,
      { secretKey: "of the installation" },
    );
    const [known] = (artifact?.tables?.["captcha"] as CaptchaTable | undefined)?.apiKeys ?? [];
    expect(known?.secret).toMatch(/^captcha:literal:[0-9a-f]{64}$/);
    expect(secrets.get(known?.secret ?? "")).toBe(KEY);
    expect(plan && canonicalPlan(plan)).not.toContain(KEY);
    expect(JSON.stringify([artifact, diagnostics])).not.toContain(KEY);
    expect(pluginSecrets.map(({ field }) => field)).toEqual(["captcha_api_keys.aaaaaaa1.key"]);
  });

  it("plain-text secrets are listed in the order of the plan: those of routes, then API keys", () => {
    const sasl = "{ user: logs, password: p-0123456789 }";
    const logger = `{ brokers: [{ host: kafka.test, port: 9092, sasl_config: ${sasl} }], broker_topic: logs }`;
    const { pluginSecrets } = compiled(`${PUBLIC}${keys(`{ id: aaaaaaa1, customer: shop, key: ${KEY} }`)}
routes:
  - { id: r, uri: /r, upstream: { nodes: { "127.0.0.1:80": 1 } }, plugins: { broker-logger: ${logger} } }
`);
    expect(pluginSecrets.map(({ field }) => field)).toEqual([
      "broker-logger.brokers.0.sasl_config.password",
      "captcha_api_keys.aaaaaaa1.key",
    ]);
  });

  it("GW3050 reports a third API key of a customer, unless one of them is expired or disabled", () => {
    const three = (third: string) =>
      keys(
        "{ id: aaaaaaa1, customer: shop, key: '${{A}}' }",
        "{ id: aaaaaaa2, customer: shop, key: '${{B}}' }",
        `{ id: aaaaaaa3, customer: shop, key: '\${{C}}', ${third} }`,
      );
    const now = Date.parse("2026-06-01T00:00:00Z") / 1000;
    expect(codesOf(three("desc: live"), { now })).toContain("GW3050");
    expect(codesOf(three("expires: 2026-06-01T00:00:01Z"), { now })).toContain("GW3050");
    expect(codesOf(three("expires: 2026-06-01T00:00:00Z"), { now })).not.toContain("GW3050");
    expect(codesOf(three("enabled: false"), { now })).not.toContain("GW3050");
  });
});

describe("the plan", () => {
  const planned = (...keys: string[]) => compiled(PUBLIC + siteKeys(...keys));
  const key = (id: string, more = "") => `{ id: ${id}, customer: shop, hostnames: [example.com]${more} }`;

  it("the plan contains the captcha table; its hash depends on settings, not on their order", () => {
    const [one, two] = [key("sk_shop_login"), key("sk_shop_order")];
    const { plan, artifact } = planned(one, two);
    expect(plan?.tables?.["captcha"]).toEqual(artifact?.tables?.["captcha"]);
    expect(JSON.parse(plan ? canonicalPlan(plan) : "{}")).toMatchObject({
      captcha: { siteKeys: [{ id: "sk_shop_login" }, { id: "sk_shop_order", tokenTtl: 300 }] },
    });
    const hash = artifact?.planHash;
    expect(planned(two, one).artifact?.planHash).toBe(hash);
    expect(planned(one, key("sk_shop_order", ", token_ttl: 300")).artifact?.planHash).toBe(hash);
    expect(planned(one, key("sk_shop_order", ", token_ttl: 299")).artifact?.planHash).not.toBe(hash);
    expect(planned(one).artifact?.planHash).not.toBe(hash);
  });
});

describe("a configuration without captcha", () => {
  it("an artifact without captcha resources has no tables", () => {
    expect(compiled("routes: []").artifact).not.toHaveProperty("tables");
  });
});
