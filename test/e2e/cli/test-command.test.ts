import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CLI, gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
const run = (args: string[], environment?: Record<string, string>) =>
  gwc(directory.path, ["test", ...args], environment);

const GATEWAY = `
upstreams:
  - { id: shop, nodes: { "10.255.255.1:80": 1 }, timeout: { connect: 60, send: 60, read: 60 } }
consumers:
  - { username: jack, plugins: { key-auth: { key: "\${{SHOP_KEY}}" } } }
routes:
  - id: orders
    uri: /orders/*
    upstream_id: shop
    plugins:
      proxy-rewrite: { headers: { set: { X-Api-Version: "2" }, remove: [X-Debug] } }
      response-rewrite: { filters: [{ regex: "[0-9]{4}", scope: global, replace: "****" }] }
      syslog: { host: 127.0.0.1, port: 514 }
  - id: vip
    uri: /vip
    upstream_id: shop
    vars: [[arg_level, "==", gold]]
    plugins: { key-auth: {} }
`;

const GREEN = `
tests:
  - name: numbers of cards are masked
    request: { method: POST, target: /orders/7, host: shop.example.com, headers: ["X-Debug: 1"], body: hello }
    upstream: { headers: ["Content-Type: text/plain"], body: card 1234 }
    expect:
      route: orders
      upstream_request:
        method: POST
        target: /orders/7
        headers: { X-Api-Version: "2", Host: shop.example.com }
        absent: [X-Debug]
        body: hello
      response: { status: 200, body: "card ****" }
      log:
        - plugin: syslog
          holds: { request: { method: POST }, route_id: orders }
  - name: only those who have the key
    request: { target: "/vip?level=gold", headers: ["apikey: \${{SHOP_KEY}}"] }
    expect: { route: vip, response: { status: 200 } }
  - name: others are asked for it
    request: { target: "/vip?level=gold" }
    expect: { upstream_request: false, response: { status: 401 } }
  - name: nobody serves the rest
    request: { target: "/vip?level=tin" }
    expect: { route: false, response: { status: 404 } }
  - name: an upstream that is away
    request: { target: /orders/1 }
    upstream: { failure: connect }
    expect: { response: { status: 502 } }
`;

describe("gwc test", () => {
  it("gwc test runs the tests of the files through the compiled modules, without secrets", () => {
    write("gateway.yaml", GATEWAY + GREEN);
    const { status, stdout, stderr } = run(["--quiet"]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^5 tests passed in [\d.]+ s\n$/);
    expect(status).toBe(0);
  });

  it("gwc test finds tests in separate files and in subfolders", () => {
    mkdirSync(join(directory.path, "all/shop"), { recursive: true });
    mkdirSync(join(directory.path, "all/empty"));
    write("all/shop/gateway.yaml", GATEWAY);
    write("all/shop/tests.yaml", GREEN);
    expect(run(["all"]).stdout).toMatch(/^5 tests passed/);
    expect(run(["all/shop/gateway.yaml", "all/shop/tests.yaml"]).stdout).toMatch(/^5 tests passed/);
  });

  it("gwc test shows each mismatch at the location of its expectation and ends with 1", () => {
    write("gateway.yaml", GATEWAY);
    write(
      "tests.yaml",
      `tests:
  - name: all is wrong
    request: { target: /orders/7 }
    upstream: { headers: ["Content-Type: text/plain"], body: "line one\\ncard 1234\\n" }
    expect:
      route: vip
      upstream_request:
        target: /orders/8
        headers:
          X-Api-Version: "3"
          X-More: [a, b]
      response:
        status: 201
        body: "line one\\ncard 1234\\n"
      log:
        - plugin: syslog
          holds: { route_id: vip }
`,
    );
    const { status, stdout } = run(["gateway.yaml", "tests.yaml"]);
    expect(status).toBe(1);
    expect(stdout.replace(/in [\d.]+ s/, "in 0 s")).toBe(`FAIL all is wrong (tests.yaml:2)
  tests.yaml:6:14: route
    - vip
    + orders
    route "vip": path /orders/7 does not match /vip
  tests.yaml:8:17: target of the upstream request
    - /orders/8
    + /orders/7
  tests.yaml:10:26: X-Api-Version of the upstream request
    - "3"
    + "2"
  tests.yaml:11:19: X-More of the upstream request
    - a
    - b
    + (none)
  tests.yaml:13:17: status of the response
    - 201
    + 200
  tests.yaml:14:15: body of the response
      line one
    - card 1234
    + card ****
  tests.yaml:17:30: route_id of syslog
    - vip
    + orders

1 test failed, 0 passed in 0 s
`);
  });

  it("gwc test refuses an invalid test with its location and a suggestion, and ends with 2", () => {
    write("gateway.yaml", `${GATEWAY}tests:\n  - name: a\n    expect: { respnse: { status: 200 } }\n`);
    const { status, stdout, stderr } = run([]);
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/gateway\.yaml:\d+:15/);
    expect(stderr).toContain("respnse");
    expect(stderr).toContain('"response"');
    const checked = gwc(directory.path, ["check"], { SHOP_KEY: "a key of the shop" });
    expect(checked.status).toBe(1);
    const first = (text: string) => text.split("\n")[0];
    expect(first(checked.stderr)).toBe(first(stderr));
    write("gateway.yaml", "routes:\n  - { uir: /a }\n");
    expect(run([]).status).toBe(2);
    write("gateway.yaml", GATEWAY);
    const none = run([]);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining("no tests")]);
  });

  it("gwc check reports unknown routes and duplicate names in tests and prints no secret next to them", () => {
    const asked =
      '[{ name: a, request: { headers: ["apikey: ${{SHOP_KEY}}"] }, expect: { route: oders } }, { name: a, expect: { route: orders } }]';
    write("gateway.yaml", GATEWAY.replace("${{SHOP_KEY}}", "literal-key-of-jack"));
    write("tests.yaml", `tests: ${asked.replace("${{SHOP_KEY}}", "literal-key-of-jack")}\n`);
    const { status, stderr } = gwc(directory.path, ["check", "gateway.yaml", "tests.yaml"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^tests\.yaml:1:\d+ error GW2131: /m);
    expect(stderr).toMatch(/^tests\.yaml:1:\d+ error GW2130: /m);
    expect(stderr).toContain('did you mean "orders"?');
    expect(stderr).not.toContain("literal-key");
    write(
      "tests.yaml",
      `tests: ${asked.replace("oders", "orders").replace("{ name: a, expect", "{ name: b, expect")}\n`,
    );
    const sound = gwc(directory.path, ["check", "gateway.yaml", "tests.yaml"]);
    expect([sound.status, sound.stderr]).toEqual([0, expect.not.stringContaining("GW21")]);
  });

  it("gwc test --filter runs the tests whose names contain the text", () => {
    write("gateway.yaml", GATEWAY + GREEN);
    expect(run(["--filter", "KEY"]).stdout).toMatch(/^1 test passed/);
    const none = run(["--filter", "kye"]);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('"kye"')]);
  });

  it("gwc test reports results as JSON and JUnit", () => {
    write("gateway.yaml", GATEWAY + GREEN.replace("status: 404", "status: 405"));
    const json = run(["--format", "json"]);
    expect(json.status).toBe(1);
    const told = JSON.parse(json.stdout) as { passed: number; failed: number; tests: object[] };
    expect(told).toMatchObject({ passed: 4, failed: 1 });
    expect(told.tests[3]).toMatchObject({
      name: "nobody serves the rest",
      passed: false,
      file: "gateway.yaml",
      differences: [
        { path: "expect.response.status", expected: 405, actual: 404, what: "status of the response" },
      ],
    });
    const junit = run(["--format", "junit"]);
    expect(junit.status).toBe(1);
    expect(junit.stdout).toContain('<testsuite name="gateway.yaml" tests="5" failures="1"');
    expect(junit.stdout).toContain('<testcase name="nobody serves the rest" classname="gateway.yaml"');
    expect(junit.stdout).toContain("<failure message=");
  });

  it("gwc test prints no secret of the environment in any format", () => {
    const red = GREEN.replace(
      "expect: { route: vip, response: { status: 200 } }",
      'expect: { upstream_request: { headers: { apikey: "x ${{SHOP_KEY}}" } } }',
    );
    write("gateway.yaml", GATEWAY + red);
    for (const format of ["text", "json", "junit"]) {
      const { status, stdout, stderr } = run(["--format", format], { SHOP_KEY: "s3cr3t-of-jack" });
      expect(status).toBe(1);
      expect(stdout + stderr).not.toContain("s3cr3t");
      expect(stdout).toContain("***");
    }
  });

  it("gwc test gives each attempt its own response", () => {
    write(
      "gateway.yaml",
      `upstreams: [{ id: two, nodes: { "10.255.255.1:80": 1, "10.255.255.2:80": 1 }, retries: 1 }]
routes: [{ id: a, uri: /a, upstream_id: two }]
tests:
  - name: the second node answers
    request: { target: /a }
    upstream: [{ failure: connect }, { status: 203 }]
    expect: { response: { status: 203 } }
`,
    );
    expect(run([]).stdout).toMatch(/^1 test passed/);
  });

  it("gwc test --coverage reports routes, conditions and actions that no test reaches", () => {
    write("gateway.yaml", GATEWAY + GREEN);
    const all = run(["--coverage"]);
    expect(all.stdout).toContain("reached: 2 of 2 routes, 2 of 2 conditions both ways, 5 of 5 actions\n");
    expect(all.stdout).not.toContain("not reached");
    const some = run(["--coverage", "--filter", "asked for"]);
    expect(some.stdout.split("\n").slice(1)).toEqual([
      "reached: 1 of 2 routes, 0 of 2 conditions both ways, 1 of 5 actions",
      "not reached:",
      '  gateway.yaml:7:5: route "orders" receives no request',
      "  gateway.yaml:17:5: vars: never false",
      "  gateway.yaml:18:16: if (consumer === undefined): never false",
      "  gateway.yaml:11:7: proxy-rewrite never runs in rewrite",
      "  gateway.yaml:12:7: response-rewrite never runs in access",
      "  gateway.yaml:12:7: response-rewrite never runs in headerFilter",
      "  gateway.yaml:13:7: syslog never runs in log",
      "",
    ]);
    const json = run(["--coverage", "--format", "json", "--filter", "asked for"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      coverage: { routes: { total: 2, reached: 1, missed: [{ place: "gateway.yaml:7:5" }] } },
    });
  });

  it("gwc test --mutate reports changes of the configuration that no test detects", () => {
    write("gateway.yaml", GATEWAY + GREEN);
    expect(run(["--mutate"]).stdout).toContain("mutations detected: 4 of 4\n");
    const { status, stdout } = run(["--mutate", "--filter", "away"]);
    expect([status, stdout.split("\n").slice(1)]).toEqual([
      0,
      [
        "mutations detected: 0 of 3",
        "all tests still pass:",
        "  gateway.yaml:11:7: without proxy-rewrite",
        "  gateway.yaml:12:7: without response-rewrite",
        "  gateway.yaml:13:7: without syslog",
        "",
      ],
    ]);
  });

  it("gwc test --watch runs the tests again after a file has changed", async () => {
    write("gateway.yaml", GATEWAY + GREEN);
    const child = spawn(process.execPath, [CLI, "test", "--watch", "-q"], { cwd: directory.path });
    let told = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    await expect.poll(() => told).toMatch(/5 tests passed/);
    // The first poll takes the current files as known.
    await setTimeout(1_500);
    write("gateway.yaml", GATEWAY + GREEN.replace("status: 404", "status: 405"));
    await expect.poll(() => told).toMatch(/1 test failed, 4 passed/);
    child.kill("SIGINT");
    const [status] = (await once(child, "exit")) as [number | null];
    expect(status).toBe(1);
  });

  it("gwc test fails a test whose request never ends", () => {
    write("gateway.yaml", GATEWAY);
    write(
      "t.yaml",
      'tests: [{ name: a, request: { method: POST, target: /orders/1, headers: ["Content-Length: 9"], body: short }, expect: { route: orders } }]',
    );
    const { status, stdout } = run(["gateway.yaml", "t.yaml"]);
    expect([status, stdout]).toEqual([1, expect.stringContaining("no complete response")]);
  });

  it("a test in the configuration does not change the build", () => {
    write("gateway.yaml", GATEWAY);
    gwc(directory.path, ["build", "--out", "a"]);
    write("gateway.yaml", `${GATEWAY}tests: [{ nmae: "\${{NOT_SET}}" }]\n`);
    const { status, stderr } = gwc(directory.path, ["build", "--out", "b"]);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("NOT_SET")]);
    const manifest = (name: string) => readFileSync(join(directory.path, name, "manifest.json"), "utf8");
    expect(manifest("b")).toBe(manifest("a"));
  });
});

describe("the value of a variable", () => {
  const configuration = `
routes:
  - id: a
    uri: /a
    plugins: { response-rewrite: { body: "said \${{GW_SAID}}", headers: { set: { X-Said: "\${{GW_SAID}}" } } } }
tests:
  - { name: one, request: { target: /a }, expect: { response: { body: none, headers: { X-Said: none } } } }
`;

  it.each(["text", "json", "junit"])(
    "gwc test as %s prints no value of a variable that only the configuration names",
    (format) => {
      write("gateway.yaml", configuration);
      const { status, stdout, stderr } = run(["--format", format], { GW_SAID: "said-by-the-environment" });
      expect(status).toBe(1);
      expect(stdout).toContain("said ***");
      expect(stdout + stderr).not.toContain("by-the-environment");
    },
  );
});

describe("a key that the configuration writes out", () => {
  const configuration = (headers: string) => `
upstreams: [{ id: u, nodes: { "10.255.255.1:80": 1 } }]
consumers: [{ username: jack, plugins: { key-auth: { key: literal-key-of-jack } } }]
routes: [{ id: a, uri: /a, upstream_id: u, plugins: { key-auth: { hide_credentials: false } } }]
tests:
  - { name: one, request: { target: /a, headers: ${headers} }, expect: { upstream_request: { absent: [apikey] } } }
`;

  it.each(["text", "json", "junit"])("gwc test as %s prints no plain-text key in a mismatch", (format) => {
    write("gateway.yaml", configuration('["apikey: literal-key-of-jack"]'));
    const { status, stdout, stderr } = run(["--format", format]);
    expect(status).toBe(1);
    expect(stdout + stderr).toContain("***");
    expect(stdout + stderr).not.toContain("literal-key");
  });

  it("gwc test prints no plain-text key in the excerpt of a diagnostic on a test", () => {
    write("gateway.yaml", configuration("{ apikey: literal-key-of-jack }"));
    const { status, stdout, stderr } = run([]);
    expect(status).toBe(2);
    expect(stderr).toContain("gateway.yaml:6:");
    expect(stdout + stderr).not.toContain("literal-key");
  });
});
