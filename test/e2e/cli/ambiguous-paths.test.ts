import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
const run = (...args: string[]) => gwc(directory.path, args);

const GATEWAY = `
upstreams:
  - { id: shop, nodes: { "10.255.255.1:80": 1 } }
global_rules:
  - id: marked
    plugins: { proxy-rewrite: { _meta: { filter: [[uri, "~~", "^/shop/a/"]] }, headers: { set: { X-Mark: a } } } }
routes:
  - { id: private, uri: /private/*, upstream_id: shop }
  - { id: shop, uri: /shop/*, upstream_id: shop }
  - { id: open, uri: /*, upstream_id: shop }
`;

beforeEach(() => write("gateway.yaml", GATEWAY));

describe("gwc route", () => {
  it("gwc route names the reading of an ambiguous path that matches another route", () => {
    const { status, stdout, stderr } = run("route", "GET", "/private%2fx");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toBe(
      'gwc: the gateway rejects the request with 400: the path of the target: it can also be read as /private/x, which matches route "private", while as received it matches route "open"\n',
    );
  });

  it("gwc route names the global rule whose conditions differ between the readings of a path", () => {
    expect(run("route", "GET", "/shop/a%2fx").stderr).toContain(
      'it can also be read as /shop/a/x, for which conditions of global rule "marked" have different results',
    );
  });

  it("gwc route shows the route of a path whose readings agree and of one with repeated slashes", () => {
    expect(run("route", "GET", "/shop/b%2fx").stdout).toContain('route "shop"');
    expect(run("route", "GET", "//private//x").stdout).toContain("matched and sent as /private/x");
  });

  it("gwc route applies gw.path of the configuration", () => {
    write("gateway.yaml", `gw: { path: { escaped_slashes: decode } }\n${GATEWAY}`);
    expect(run("route", "GET", "/private%2fx").stdout).toContain('route "private"');
    write("gateway.yaml", `gw: { path: { merge_slashes: false } }\n${GATEWAY}`);
    expect(run("route", "GET", "//private/x").stderr).toContain("it can also be read as /private/x");
  });
});

describe("gwc test", () => {
  it("gwc test responds to an ambiguous path as the gateway does", () => {
    write(
      "tests.yaml",
      `tests:
  - { name: another route, request: { target: "/private%2fx" }, expect: { route: false, response: { status: 400 } } }
  - { name: another rule, request: { target: "/shop/a%2fx" }, expect: { route: false, response: { status: 400 } } }
  - { name: one route, request: { target: "/shop/b%2fx" }, expect: { route: shop, response: { status: 200 } } }
  - { name: merged, request: { target: "//private/x" }, expect: { route: private, upstream_request: { target: /private/x } } }
`,
    );
    const { status, stdout, stderr } = run("test", "gateway.yaml", "tests.yaml");
    expect({ status, stderr, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("4 tests passed"),
    });
  });
});
