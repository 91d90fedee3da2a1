import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Report, ReportedChange } from "../../../compiler/diff/report.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const UPSTREAMS = `upstreams:
  - { id: shop, nodes: { "10.0.0.1:80": 1 } }
  - { id: other, nodes: { "10.0.0.2:80": 1 } }
`;
const ORDERS = "  - { id: orders, uri: /orders/*, host: shop.example.com, upstream_id: shop }\n";

const directory = useTemporaryDirectory();

function write(file: string, text: string): void {
  mkdirSync(join(directory.path, file, ".."), { recursive: true });
  writeFileSync(join(directory.path, file), text);
}

const routes = (file: string, ...lines: string[]) => write(file, `${UPSTREAMS}routes:\n${lines.join("")}`);

/** Report of `gwc diff --format json`. */
function report(...args: string[]): Report & { status: number | null } {
  const { status, stdout, stderr } = gwc(directory.path, ["diff", "--format", "json", ...args]);
  if (stdout === "") throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Report), status };
}

const kinds = ({ changes }: Report) => changes.map(({ kind, subject, to }) => ({ kind, subject, to }));

function only({ changes }: Report, kind: ReportedChange["kind"]): ReportedChange {
  const [first, second] = changes.filter((change) => change.kind === kind);
  if (first === undefined || second !== undefined) throw new Error(JSON.stringify(changes));
  return first;
}

describe("gwc diff", () => {
  beforeEach(() => routes("a/gateway.yaml", ORDERS));

  it("gwc diff finds no change if only comments, keys, files and their order differ", () => {
    write(
      "b/1.yaml",
      `# elsewhere\nroutes:\n  - upstream_id: shop\n    host: shop.example.com\n    id: orders\n    uri: /orders/*\n`,
    );
    write(
      "b/2.json",
      '{"upstreams":[{"id":"other","nodes":{"10.0.0.2:80":1}},{"nodes":{"10.0.0.1:80":1},"id":"shop"}]}',
    );
    const { status, stdout, stderr } = gwc(directory.path, ["diff", "-q", "a", "b"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("a → b: 1 route unchanged\n\nNothing changes for traffic.\n");
  });

  it("gwc diff reports a new route that takes no requests of others as additive, with exit code 3", () => {
    routes("b/gateway.yaml", ORDERS, "  - { id: carts, uri: /carts, upstream_id: other }\n");
    const found = report("a", "b");
    expect(found).toMatchObject({ status: 3, severity: "additive", summary: { new: 1, unchanged: 1 } });
    expect(only(found, "new")).toMatchObject({
      severity: "additive",
      subject: "carts",
      place: { before: null, after: "b/gateway.yaml:6:5" },
      example: {
        request: "GET http://host.example/carts",
        before: { status: 404, route: null },
        after: { status: 200, route: "carts" },
      },
    });
    expect(gwc(directory.path, ["diff", "a", "b", "--fail-on", "changed"]).status).toBe(0);
  });

  it("gwc diff distinguishes two cookies from one whose value has a comma", () => {
    const added = (lines: string) =>
      `  - { id: orders, uri: /o, upstream_id: shop, plugins: { response-rewrite: { headers: { add: [${lines}] } } } }\n`;
    routes("a/gateway.yaml", added('"Set-Cookie: a=1", "Set-Cookie: b=2"'));
    routes("b/gateway.yaml", added('"Set-Cookie: a=1, b=2"'));
    expect(gwc(directory.path, ["diff", "a", "b"]).stdout).toContain(
      "response header set-cookie: another value",
    );
  });

  it("gwc diff reports no route as additive that may take requests of another", () => {
    const items = "  - { id: items, uri: /api/:who/items, upstream_id: shop }\n";
    routes("a/gateway.yaml", items);
    routes("b/gateway.yaml", items, "  - { id: mine, uri: /api/me/*, upstream_id: other }\n");
    const found = report("a", "b", "--fail-on", "changed");
    expect(found).toMatchObject({ status: 1, severity: "changed" });
  });

  it("gwc diff reports routes that swapped places, even without a sample request", () => {
    const [b, c] = [
      '  - { id: b, uri: /api/*, upstream_id: shop, vars: [[arg_a, "~=", "1"], [arg_b, "~=", "2"]] }\n',
      '  - { id: c, uri: /api/*, upstream_id: other, vars: [OR, [arg_a, "==", "1"], [content_length, ">", 5]] }\n',
    ];
    routes("a/gateway.yaml", b, c);
    routes("b/gateway.yaml", c, b);
    const found = report("a", "b");
    expect(found.status).toBe(1);
    expect(kinds(found)).toContainEqual({ kind: "precedence", subject: "b", to: "c" });
  });

  it("gwc diff reports a changed id if it is sent to the upstream", () => {
    const named = (id: string) =>
      `  - { id: ${id}, uri: /x, upstream_id: shop, vars: [[content_length, ">", 5]], plugins: { proxy-rewrite: { headers: { set: { X-Route: $route_id } } } } }\n`;
    routes("a/gateway.yaml", named("one"));
    routes("b/gateway.yaml", named("two"));
    expect(report("a", "b").status).toBe(1);
  });

  it("gwc diff prints no secret of settings, environment variables or conditions", () => {
    const side = (key: string) =>
      `gw: { data_encryption: { keyring: ["keyring-of-sixteen-${key}"] } }\n${UPSTREAMS}routes:\n` +
      `  - { id: a, uri: /a, upstream_id: shop, vars: [[http_x_api_key, "==", "condition-${key}"]], plugins: { proxy-rewrite: { headers: { set: { X-In: "\${{GW_SAID_${key}}}" } } } } }\n`;
    write("a/gateway.yaml", side("A"));
    write("b/gateway.yaml", side("B"));
    const environment = { GW_SAID_A: "environment-A", GW_SAID_B: "environment-B" };
    for (const format of ["text", "json", "markdown"]) {
      const { status, stdout } = gwc(directory.path, ["diff", "a", "b", "--format", format], environment);
      expect(status).toBe(1);
      expect(stdout).not.toMatch(/keyring-of|condition-[AB]|environment-[AB]/);
    }
  });

  it("gwc diff refuses a path that the revision lacks, next to one that it has", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: directory.path });
    git("init", "-q", "-b", "main");
    git("add", "a");
    git("commit", "-qm", "one");
    const { status, stderr } = gwc(directory.path, ["diff", "main:a,typo.yaml", "a"]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('revision "main" has no "typo.yaml"')]);
  });

  it("gwc diff reports a removed route and the new response to its requests", () => {
    routes("b/gateway.yaml", "  - { id: rest, uri: /*, upstream_id: other }\n");
    const found = report("a", "b");
    expect(found).toMatchObject({ status: 1, severity: "changed" });
    expect(only(found, "gone")).toMatchObject({
      subject: "orders",
      example: {
        host: "shop.example.com",
        target: "/orders/x",
        before: { route: "orders", upstream: "http://10.0.0.1:80" },
        after: { route: "rest", upstream: "http://10.0.0.2:80" },
      },
    });
  });

  it("gwc diff reports that a new route takes requests of another, with a request that both match", () => {
    routes(
      "b/gateway.yaml",
      ORDERS,
      "  - { id: special, uri: /orders/special, host: shop.example.com, upstream_id: other }\n",
    );
    const found = report("a", "b");
    expect(kinds(found)).toEqual([
      { kind: "precedence", subject: "orders", to: "special" },
      { kind: "new", subject: "special", to: null },
    ]);
    expect(only(found, "precedence").example).toMatchObject({
      request: "GET http://shop.example.com/orders/special",
      before: { route: "orders" },
      after: { route: "special" },
    });
    expect(found.status).toBe(1);
  });

  it("gwc diff reports a priority that reverses two routes, with a request that fits both", () => {
    const first = (priority: number) =>
      `  - { id: v1, uri: /api/*, priority: ${priority}, upstream_id: shop, vars: [[http_version, "~~", "^1"]] }\n`;
    const second =
      '  - { id: beta, uri: /api/*, priority: 5, upstream_id: other, vars: [[arg_beta, "==", "yes"]] }\n';
    routes("a/gateway.yaml", first(9), second);
    routes("b/gateway.yaml", first(1), second);
    const found = report("a", "b");
    expect(only(found, "precedence")).toMatchObject({
      subject: "v1",
      to: "beta",
      example: {
        target: "/api/x?beta=yes",
        headers: ["version: 1"],
        before: { route: "v1" },
        after: { route: "beta" },
      },
    });
    expect(only(found, "matching")).toMatchObject({
      subject: "v1",
      removed: ["Its priority is 9."],
      added: ["Its priority is 1."],
    });
  });

  it("gwc diff reports narrowed methods with a request that is lost, and wider ones as additive", () => {
    routes("b/gateway.yaml", ORDERS.replace("uri:", "methods: [GET], uri:"));
    const narrowed = report("a", "b");
    expect(only(narrowed, "matching")).toMatchObject({
      severity: "changed",
      example: { method: "POST", before: { status: 200 }, after: { status: 404 } },
    });
    expect(report("b", "a")).toMatchObject({ status: 3, severity: "additive" });
  });

  it("gwc diff reports changed actions in sentences, with a request that shows them", () => {
    const rewriting = (filter: string, status: number) =>
      ORDERS.replace(
        " }\n",
        `, plugins: { response-rewrite: { vars: [[status, "==", ${status}]], filters: [{ regex: "${filter}", replace: x }] } } }\n`,
      );
    routes("a/gateway.yaml", rewriting("id=[0-9]{1,9}", 503));
    routes("b/gateway.yaml", rewriting("id=[0-9]{2,9}", 503));
    const change = only(report("a", "b"), "actions");
    expect(change.removed).toEqual([expect.stringContaining("id=[0-9]{1,9}")]);
    expect(change.example).toMatchObject({
      upstream: { status: 503 },
      differs: [{ name: "response body" }],
    });
  });

  it("gwc diff attributes a changed service or upstream to the routes that use it", () => {
    const whole = (port: number, value: string) =>
      `upstreams:\n  - { id: u, nodes: { "10.0.0.1:${port}": 1 } }\nservices:\n  - { id: s, upstream_id: u, plugins: { proxy-rewrite: { headers: { set: { X-Tier: ${value} } } } } }\nroutes:\n  - { id: r, uri: /r, service_id: s }\n  - { id: plain, uri: /plain, upstream_id: u }\n`;
    write("a/gateway.yaml", whole(80, "gold"));
    write("b/gateway.yaml", whole(80, "silver"));
    write("c/gateway.yaml", whole(81, "gold"));
    expect(kinds(report("a", "b"))).toEqual([{ kind: "actions", subject: "r", to: null }]);
    expect(only(report("a", "b"), "actions").example?.differs).toEqual([
      { name: "upstream request header x-tier", before: "gold", after: "silver" },
    ]);
    expect(kinds(report("a", "c")).map(({ subject }) => subject)).toEqual(["plain", "r"]);
  });

  it("gwc diff reports that it found no example", () => {
    routes("b/gateway.yaml", ORDERS);
    write(
      "b/gateway.yaml",
      UPSTREAMS.replace(
        '"10.0.0.1:80": 1 }',
        '"10.0.0.1:80": 1 }, timeout: { connect: 1, send: 2, read: 3 }',
      ).concat("routes:\n", ORDERS),
    );
    const found = report("a", "b");
    expect(found.status).toBe(1);
    expect(only(found, "actions")).toMatchObject({
      example: null,
      added: ["upstream timeout.connect: 1", "upstream timeout.send: 2", "upstream timeout.read: 3"],
    });
    expect(gwc(directory.path, ["diff", "a", "b"]).stdout).toContain("no example found");
  });

  it("gwc diff reports a route with another id as renamed, without a change for traffic", () => {
    routes("b/gateway.yaml", ORDERS.replace("id: orders", "id: shop-orders"));
    const found = report("a", "b");
    expect(found.status).toBe(0);
    expect(kinds(found)).toEqual([{ kind: "renamed", subject: "orders", to: "shop-orders" }]);
  });

  it("gwc diff reports a changed global rule with a request that shows it", () => {
    write(
      "b/gateway.yaml",
      `${UPSTREAMS}global_rules:\n  - { id: all, plugins: { response-rewrite: { headers: { set: { X-Gateway: gwc } } } } }\nroutes:\n${ORDERS}`,
    );
    const change = only(report("a", "b"), "shared");
    expect(change).toMatchObject({
      subject: "global_rules/all",
      place: { before: null, after: "b/gateway.yaml:5:5" },
    });
    expect(change.example?.differs).toEqual([
      { name: "response header x-gateway", before: null, after: "gwc" },
    ]);
  });

  it("gwc diff prints no secret, even if the secret has changed", () => {
    const keyed = (key: string) =>
      `${UPSTREAMS}consumers:\n  - { username: ann, plugins: { key-auth: { key: ${key} } } }\nroutes:\n${ORDERS.replace(" }\n", `, plugins: { key-auth: {}, proxy-rewrite: { headers: { set: { Authorization: "Bearer ${key}" } } } } }\n`)}`;
    write("a/gateway.yaml", keyed("the-first-key-of-ann"));
    write("b/gateway.yaml", keyed("the-second-key-of-ann"));
    for (const format of ["text", "json", "markdown"]) {
      const { stdout, status } = gwc(directory.path, ["diff", "a", "b", "--format", format]);
      expect(status).toBe(1);
      expect(stdout).not.toContain("key-of-ann");
      expect(stdout).toContain("another value of key-auth consumers[0].key");
    }
  });

  it("gwc diff finds a change that requires a key by the key of a consumer, which it does not print", () => {
    const behind = (path: string) =>
      `${UPSTREAMS}consumers:\n  - { username: ann, plugins: { key-auth: { key: the-key-of-ann } } }\nroutes:\n${ORDERS.replace(" }\n", `, plugins: { key-auth: {}, proxy-rewrite: { headers: { set: { X-To: ${path} } } } } }\n`)}`;
    write("a/gateway.yaml", behind("a"));
    write("b/gateway.yaml", behind("b"));
    const found = report("a", "b");
    expect(only(found, "actions").example).toMatchObject({
      headers: ["apikey: (not shown)"],
      before: { status: 200 },
      after: { status: 200 },
      differs: [{ name: "upstream request header x-to", before: "a", after: "b" }],
    });
    expect(JSON.stringify(found)).not.toContain("the-key-of-ann");
  });

  it("gwc diff --format markdown prints a table and the details of each change", () => {
    routes("b/gateway.yaml", ORDERS, "  - { id: carts, uri: /carts, upstream_id: other }\n");
    const { stdout } = gwc(directory.path, ["diff", "a", "b", "--format", "markdown"]);
    expect(stdout).toContain('| route "carts" | new | adds | `GET http://host.example/carts` |');
    expect(stdout).toMatch(
      /<details><summary>route "carts": new <code>b\/gateway.yaml:6:5<\/code><\/summary>\n\n```diff\n/,
    );
  });

  it("gwc diff ends with 2 for a side that does not compile, does not exist or is no revision", () => {
    write("b/gateway.yaml", "routes:\n  - { id: r, uri: /r, upstream_id: nowhere }\n");
    const broken = gwc(directory.path, ["diff", "a", "b"]);
    expect(broken.status).toBe(2);
    expect(broken.stderr).toContain("gwc: b does not compile");
    expect(gwc(directory.path, ["diff", "a", "nowhere.yaml"]).status).toBe(2);
    expect(gwc(directory.path, ["diff", "nobody:a", "a"]).status).toBe(2);
    const key = { GWC_ADMIN_KEY: "k" };
    expect(gwc(directory.path, ["diff", "http://127.0.0.1:9", "a"], key)).toMatchObject({ status: 2 });
  });
});

describe("sides of gwc diff", () => {
  beforeEach(() => routes("gateway.yaml", ORDERS));

  it("gwc diff reads a build with the locations of its source and finds no change to its configuration", () => {
    expect(gwc(directory.path, ["build", "-q"]).status).toBe(0);
    expect(report("dist", "gateway.yaml")).toMatchObject({ status: 0, changes: [] });
    routes("gateway.yaml", ORDERS.replace("shop.example.com", "www.example.com"));
    const found = report("dist", "gateway.yaml");
    expect(only(found, "matching").place).toEqual({ before: "gateway.yaml:5:11", after: "gateway.yaml:5:5" });
  });

  it("gwc diff reads revisions by paths from the repository's top, relative paths and default files", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], {
        cwd: directory.path,
      });
    routes("conf/b.yaml", ORDERS);
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    routes("gateway.yaml", ORDERS.replace("/orders/*", "/order/*"));
    rmSync(join(directory.path, "conf"), { recursive: true });
    for (const args of [
      ["main:"],
      ["main:gateway.yaml"],
      ["main:./gateway.yaml", "gateway.yaml"],
      ["main:conf", "."],
    ])
      expect(kinds(report(...args)), args.join(" ")).toEqual([
        { kind: "matching", subject: "orders", to: null },
      ]);
    expect(report("main:", "main:conf/")).toMatchObject({ status: 0 });
    expect(gwc(directory.path, ["diff", "main:nowhere", "."]).stderr).toContain(
      'revision "main" has no "nowhere"',
    );
  });
});
