import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
const run = (args: string[], environment?: Record<string, string>) =>
  gwc(directory.path, ["test", ...args], environment);

const GATEWAY = `
upstreams:
  - { id: shop, nodes: { "10.255.255.1:80": 1 } }
routes:
  - id: orders
    uri: /orders/*
    upstream_id: shop
    plugins: { syslog: { host: 127.0.0.1, port: 514 } }
  - { id: vip, uri: /vip, upstream_id: shop }
`;

describe("a test of a configuration", () => {
  it.each([
    ["request: { path: /a }", 'write "target": the path with the query'],
    ["request: { url: http://a/b }", 'write "target", the path with the query, and "host"'],
    ["status: 200", "expect: { response: { status: 200 } }"],
    ["request: { body: { a: 1 } }", "write { json: … } around"],
    ["upstream: { failure: connect, status: 200 }", '"status" cannot be combined with "failure"'],
  ])("gwc test suggests the valid form for %s", (written, told) => {
    write("gateway.yaml", `${GATEWAY}tests:\n  - name: a\n    ${written}\n    expect: { route: vip }\n`);
    const { status, stderr } = run([]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(told)]);
  });

  it.each([
    ["status: 200", 'write it below "response"'],
    ["response: { headers: [X-A] }", "write a map of names to values"],
    ["route: odrers", "GW2131"],
    ["route: odrers", 'there is no route "odrers"'],
    ["route: odrers", 'did you mean "orders"?'],
    ["log: [{ plugin: sylog, lacks: [a] }]", 'did you mean "syslog"?'],
  ])("gwc test suggests the valid form for the expectation %s", (written, told) => {
    write("gateway.yaml", `${GATEWAY}tests:\n  - name: a\n    expect: { ${written} }\n`);
    const { status, stderr } = run([]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(told)]);
  });

  it("gwc test refuses two tests of the same name, also in different files", () => {
    write("gateway.yaml", `${GATEWAY}tests:\n  - { name: a, expect: { route: false } }\n`);
    write("more.yaml", "tests:\n  - { name: a, expect: { route: false } }\n");
    const { status, stderr } = run(["gateway.yaml", "more.yaml"]);
    expect(status).toBe(2);
    for (const told of ["more.yaml:2:13", "GW2130"]) expect(stderr).toContain(told);
  });

  it("gwc test sends a JSON body and compares one by value", () => {
    const sent = "request: { method: POST, target: /orders/1, body: { json: { a: [1] } } }";
    const answered =
      'upstream: { headers: ["Content-Type: application/json"], body: \'{ "b":2, "a" : "x" }\' }';
    const test = (a: string) => `
  - name: json ${a}
    ${sent}
    ${answered}
    expect:
      upstream_request: { headers: { Content-Type: application/json }, body: '{"a":[1]}' }
      response: { body: { json: { a: ${a}, b: 2 } } }
`;
    write("gateway.yaml", `${GATEWAY}tests:${test("x")}${test("z")}`);
    const { status, stdout } = run([]);
    expect(status).toBe(1);
    expect(stdout).toContain('-   "a": "z"');
    expect(stdout).toContain("1 test failed, 1 passed");
  });

  it("gwc test needs no unset variable unless its value must be valid, and then names it", () => {
    const file = `
upstreams:
  - { id: shop, nodes: { "\${{SHOP_HOST}}:80": 1 } }
routes:
  - { id: a, host: "\${{PUBLIC}}", uri: /a, upstream_id: shop, plugins: { proxy-rewrite: { headers: { set: { X-Region: "\${{REGION}}", X-Zone: "\${{ZONE:=one}}" } } } } }
tests:
  - name: the region goes along
    request: { target: /a, host: "\${{PUBLIC}}" }
    expect: { route: a, upstream_request: { headers: { X-Region: "\${{REGION}}", X-Zone: one } } }
`;
    write("gateway.yaml", file);
    expect(run([]).stdout).toMatch(/^1 test passed/);
    write("gateway.yaml", `${file}test_environment: { REGION: eu, PUBLIC: shop.example.com }\n`);
    expect(run(["--quiet"], { REGION: "us" }).stdout).toMatch(/^1 test passed/);
    expect(gwc(directory.path, ["check"], { REGION: "us", PUBLIC: "a.b" }).status).toBe(0);
    const choice = (beside: string) =>
      `${file.replace("- { id: shop,", '- { id: shop, scheme: "${{SCHEME}}",')}${beside}`;
    write("gateway.yaml", choice(""));
    const refused = run([]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(
      'SCHEME is not set and has a placeholder: set it, or give a valid value next to "tests": test_environment: { SCHEME: … }',
    );
    const misspelt = choice("")
      .replace("uri: /a,", "uri: /a, urii: /b,")
      .replace('scheme: "${{SCHEME}}",', "");
    write("gateway.yaml", misspelt);
    expect(run([]).stderr).toContain("did you mean");
    expect(run([]).stderr).not.toContain("made-up");
    write("gateway.yaml", choice("test_environment: { SCHEME: http }\n"));
    expect(run([]).stdout).toMatch(/^1 test passed/);
  });

  it("gwc test sends requests over TLS and with a client certificate", () => {
    write(
      "gateway.yaml",
      `
upstreams:
  - { id: shop, nodes: { "10.0.0.1:80": 1 } }
routes:
  - { id: partners, uri: /*, upstream_id: shop, vars: [[ssl_client_verify, "==", SUCCESS]], plugins: { proxy-rewrite: { headers: { set: { X-Client: $ssl_client_s_dn } } } } }
  - { id: all, uri: /*, upstream_id: shop, plugins: { redirect: { http_to_https: true } } }
tests:
  - name: without TLS
    request: { target: /a, host: shop.example.com }
    expect: { route: all, response: { status: 301, headers: { Location: "https://shop.example.com/a" } } }
  - name: with TLS
    request: { target: /a, host: shop.example.com, tls: true }
    expect: { route: all, upstream_request: { headers: { X-Forwarded-Proto: https } }, response: { status: 200 } }
  - name: with a certificate
    request: { target: /a, tls: { client_verify: SUCCESS, client_s_dn: CN=partner } }
    expect: { route: partners, upstream_request: { headers: { X-Client: CN=partner } } }
`,
    );
    expect(run(["--quiet"]).stdout).toMatch(/^3 tests passed/);
  });
});
