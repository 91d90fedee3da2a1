import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

it("gwc route shows the masks of each logger, also for credentials that only other routes take", () => {
  const nodes = { "127.0.0.1:8080": 1 };
  const syslog = { host: "127.0.0.1", port: 514 };
  const shop = { "key-auth": { header: "X-Shop-Key", query: "shop_key" } };
  const configuration = {
    upstreams: [{ id: "u", nodes }],
    consumers: [{ username: "ann", plugins: { "key-auth": { key: "ann-key" } } }],
    global_rules: [{ id: "all", plugins: { syslog: { ...syslog, redact: { headers: ["X-Own"] } } } }],
    routes: [
      { id: "shop", uri: "/shop", upstream_id: "u", plugins: shop },
      {
        id: "open",
        uri: "/open",
        upstream_id: "u",
        plugins: {
          syslog: { ...syslog, redact: { query: [], credentials: false } },
          "proxy-rewrite": { headers: { set: { "X-Copy": "$http_x_shop_key", "X-Page": "$arg_page" } } },
        },
      },
    ],
  };
  writeFileSync(join(directory.path, "gateway.json"), JSON.stringify(configuration));
  const { status, stdout } = gwc(directory.path, ["route", "GET", "http://h/open", "--format", "json"]);
  expect(status).toBe(0);
  const [all, open] = JSON.parse(stdout).masks;
  expect(all).toMatchObject({ plugin: "syslog", headers: ["x-own", "x-copy", "x-shop-key"] });
  expect(all.query).toEqual(expect.arrayContaining(["token", "shop_key"]));
  expect(open).toMatchObject({ plugin: "syslog", query: [] });
  expect(open.headers).not.toContain("x-shop-key");
  const text = gwc(directory.path, ["route", "GET", "http://h/shop"]).stdout;
  expect(text).toContain("masked by syslog (gateway.json:1:");
  expect(text).toMatch(/headers +x-own, x-copy, x-shop-key\n/);
});

it("gwc route shows the masks of each logger in bodies", () => {
  const body = {
    json_paths: ["user['pass word']", "items[*].card", "$..töken", "$['a.b'][0]"],
    patterns: ["[0-9]{16}"],
  };
  const plugins = { "file-logger": { path: "a.log", include_req_body: true, redact: { body } } };
  const upstream = { nodes: { "127.0.0.1:8080": 1 } };
  writeFileSync(
    join(directory.path, "gateway.json"),
    JSON.stringify({ routes: [{ id: "a", uri: "/a", upstream, plugins }] }),
  );
  const paths = ["$.user['pass word']", "$.items[*].card", "$..töken", "$['a.b'][0]"];
  const json = gwc(directory.path, ["route", "GET", "http://h/a", "--format", "json"]).stdout;
  expect(JSON.parse(json).masks).toMatchObject([{ body: { json_paths: paths, patterns: ["[0-9]{16}"] } }]);
  const text = gwc(directory.path, ["route", "GET", "http://h/a"]).stdout;
  expect(text).toContain(`\n  body          ${paths.join(", ")}, /[0-9]{16}/\n`);
});
