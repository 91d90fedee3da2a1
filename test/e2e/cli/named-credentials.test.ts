import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

const NODES = { nodes: { "10.0.0.1:80": 1 } };

interface Parts {
  /** Settings of key-auth. */
  named?: Record<string, unknown>;
  route: Record<string, unknown>;
  /** Resources with the plugins that name credentials; default: a service of the route. */
  holder?: (plugins: object) => Record<string, object[]>;
}

const ofService = (plugins: object) => ({ services: [{ id: "s", upstream: NODES, plugins }] });

/** Resources that name headers and arguments with credentials, and routes with plain-text credentials. */
function written({ named = {}, route, holder = ofService }: Parts): [named: object, routes: object] {
  const link = holder === ofService ? { service_id: "s" } : { upstream: NODES };
  return [holder({ "key-auth": named }), { routes: [{ id: "r", uri: "/r", ...link, ...route }] }];
}

const set = (fields: object) => ({ plugins: { "proxy-rewrite": { headers: { set: fields } } } });
const uri = (address: string) => ({ plugins: { "proxy-rewrite": { uri: address } } });
const vars = (...condition: unknown[]) => ({ vars: [condition] });

const FORMS: Readonly<Record<string, Parts>> = {
  "a header": { named: { header: "X-Shop" }, route: set({ "X-Shop": "s3cret-one" }) },
  "a header in another case": { named: { header: "X-Shop" }, route: set({ "x-sHOP": "s3cret-one" }) },
  "a header with _ for -": { named: { header: "X-Shop-K" }, route: set({ X_Shop_K: "s3cret-one" }) },
  "a header named with _": {
    named: { header: "X_Shop_K" },
    route: vars("http_x_shop_k", "==", "s3cret-one"),
  },
  "a header as a line": {
    named: { header: "X!Shop" },
    route: { plugins: { "response-rewrite": { headers: { add: ["X!Shop: s3cret-one"] } } } },
  },
  "an argument named with _": {
    named: { query: "shop_key" },
    route: vars("arg_shop_key", "==", "s3cret-one"),
  },
  "an argument in a list": {
    named: { query: "shop_key" },
    route: vars("arg_shop_key", "in", ["s3cret-one"]),
  },
  "a number": { named: { query: "shop" }, route: vars("arg_shop", "==", 53_237_411) },
  "an argument of an address": { named: { query: "shop" }, route: uri("/x?a=1&shop=s3cret-one") },
  "an argument in another case": { named: { query: "shop" }, route: uri("/x?SHOP=s3cret-one") },
  "an argument with escapes": { named: { query: "shop" }, route: uri("/x?sh%6fp=s3cret-one") },
  "an argument with a blank": { named: { query: "shop key" }, route: uri("/x?shop+key=s3cret-one") },
  "an argument with letters beyond ASCII": {
    named: { query: "clé" },
    route: uri("/x?cl%C3%A9=s3cret-one"),
  },
  "an argument behind a semicolon": { named: { query: "shop" }, route: uri("/x?a=1;shop=s3cret-one") },
  "an argument with a semicolon in it": { named: { query: "shop" }, route: uri("/x?shop=ab;s3cret-one&c=d") },
  "an argument of a redirect": {
    named: { query: "shop" },
    route: { plugins: { redirect: { uri: "https://a.example/?b=c&shop=s3cret-one" } } },
  },
  "arguments that a condition asks for": {
    named: { query: "shop" },
    route: vars("args", "==", "shop=s3cret-one"),
  },
  "a name that speaks of a credential, with escapes": { route: uri("/x?acc%65ss_t%6fken=s3cret-one") },
  "a name of a plugin_config": {
    named: { header: "X-Shop" },
    route: set({ "X-Shop": "s3cret-one" }),
    holder: (plugins) => ({ plugin_configs: [{ id: "p", plugins }] }),
  },
  "a name of a global rule": {
    named: { header: "X-Shop", hide_credentials: true },
    route: set({ "X-Shop": "s3cret-one" }),
    holder: (plugins) => ({ global_rules: [{ id: "g", plugins }] }),
  },
  "a name of a service that the route does not use": {
    named: { query: "shop" },
    route: uri("/x?shop=s3cret-one"),
    holder: (plugins) => ({ services: [{ id: "other", upstream: NODES, plugins }] }),
  },
};

const SECRET = /s3cret|53.?237.?411/;

/** Adds a diagnostic on the line of each credential. */
const broken = (routes: object) => JSON.stringify(routes).replace('"uri":"/r"', '"uri":"/r","nonsense":1');

const files = ["a.json", "b.json"];

describe("credentials that another resource names", () => {
  it.each(Object.entries(FORMS))("gwc masks a credential that another resource names: %s", (_, parts) => {
    const [named, routes] = written(parts);
    writeFileSync(join(directory.path, "a.json"), JSON.stringify(named));
    writeFileSync(join(directory.path, "b.json"), broken(routes));
    const { status, stderr } = gwc(directory.path, ["check", ...files]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/GW\d{4}.*nonsense/)]);
    expect(stderr).not.toMatch(SECRET);
    writeFileSync(join(directory.path, "b.json"), JSON.stringify(routes));
    const changed = JSON.stringify(routes).replace("s3cret-one", "s3cret-two").replace("411", "412");
    writeFileSync(join(directory.path, "c.json"), changed);
    for (const args of [
      ["check", "--explain", ...files],
      ["plan", ...files],
      ["explain-route", "r", ...files],
      ["diff", "a.json,b.json", "a.json,c.json", "--format", "json"],
    ]) {
      const done = gwc(directory.path, args);
      expect([args, done.status, done.stderr]).toEqual([args, args[0] === "diff" ? 1 : 0, done.stderr]);
      expect([args, `${done.stdout}${done.stderr}`]).toEqual([args, expect.not.stringMatching(SECRET)]);
    }
  });

  it("gwc check masks a named credential in a message, its help and its excerpt", () => {
    const [named, routes] = written({
      named: { query: "shop_key" },
      route: vars("arg_shop_key", "in", "s3cret-one-under"),
    });
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify({ ...named, ...routes }));
    for (const format of ["text", "json", "github", "sarif"]) {
      const { stdout, stderr } = gwc(directory.path, ["check", "gateway.json", "--format", format]);
      expect(`${stdout}${stderr}`).toContain("GW4017");
      expect(`${stdout}${stderr}`).not.toContain("s3cret");
    }
  });

  it("gwc check masks a named credential in a comment and in a file that cannot be parsed", () => {
    const shop = "plugins: { key-auth: { query: shop, header: X-Shop } }";
    writeFileSync(
      join(directory.path, "a.yaml"),
      `services:\n  - { id: s, upstream: { nodes: { "10.0.0.1:80": 1 } }, ${shop} }\n`,
    );
    const commented = "routes:\n  - { id: r, nonsense: 1, uri: /r } # /x?shop=s3cret-one\n";
    const cut = "routes:\n  - { id: r, X-Shop: s3cret-one, uri: [/r?shop=s3cret-two }\n";
    for (const text of [commented, cut]) {
      writeFileSync(join(directory.path, "b.yaml"), text);
      const { status, stderr } = gwc(directory.path, ["check", "a.yaml", "b.yaml"]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/GW\d{4}/)]);
      expect(stderr).not.toContain("s3cret");
    }
  });

  it("gwc test masks a named credential in tests, coverage and mismatches", () => {
    const [named, routes] = written({ named: { query: "shop" }, route: uri("/x?shop=s3cret-one") });
    const test = {
      name: "it is refused",
      request: { target: "/r?shop=s3cret-one" },
      expect: { upstream_request: { target: "/y?shop=s3cret-one" }, response: { status: 201 } },
    };
    writeFileSync(
      join(directory.path, "gateway.json"),
      JSON.stringify({ ...named, ...routes, tests: [test] }),
    );
    for (const format of ["text", "json"]) {
      const args = ["test", "gateway.json", "--coverage", "--format", format];
      const { status, stdout, stderr } = gwc(directory.path, args);
      expect([status, `${stdout}${stderr}`]).toEqual([1, expect.not.stringContaining("s3cret")]);
    }
  });
});
