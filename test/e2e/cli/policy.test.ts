import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

const directory = useTemporaryDirectory();
const at = (...names: string[]) => join(directory.path, ...names);

const GATEWAY = `gw: { node_listen: [{ ip: 127.0.0.1, port: 9080 }] }
upstreams:
  - id: shop
    nodes: { "10.1.2.3:80": 1, "db.internal:80": 1 }
services:
  - { id: all, hosts: [shop.example.com, "*.api.example.com"], upstream_id: shop }
routes:
  - id: one
    uri: /one
    service_id: all
    plugins:
      response-rewrite: { filters: [{ regex: '(?:a|b)*c', scope: global, replace: x }] }
  - { id: two, host: shop.example.com, uri: /two, upstream_id: shop, plugins: { key-auth: {} } }
consumers:
  - { username: jane, plugins: { key-auth: { key: "\${{K:=k}}" } } }
`;

interface Found {
  code: string;
  severity: string;
  message: string;
  file?: string;
  line?: number;
  notes?: { file?: string; line?: number }[];
}

/** "code line/line of the policy" of each diagnostic of the policy. */
function check(policy: string, gateway = GATEWAY): string[] {
  writeFileSync(at("gateway.yaml"), gateway);
  writeFileSync(at("policy.yaml"), policy);
  const { stdout } = gwc(directory.path, ["check", "--policy", "policy.yaml", "--format", "json"]);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: (Found & {
      span?: { start: { line: number } };
      notes: { span?: { start: { line: number } } }[];
    })[];
  };
  return diagnostics
    .filter(({ code }) => code.startsWith("GW9"))
    .map(({ code, span, notes }) => `${code} ${span?.start.line}/${notes[0]?.span?.start.line}`);
}

describe("gwc check --policy", () => {
  it("gwc check --policy reports nothing about a configuration that satisfies the policy", () => {
    const policy = `plugins: { allow: [response-rewrite, key-auth] }
packages: { allow: [] }
hosts: { allow: [shop.example.com, "*.example.com"], deny: [admin.example.org] }
upstreams: { allow: [10.0.0.0/8, "*.internal"], deny: [10.9.0.0/16] }
regex: { engines: [backtracking, linear, re2] }
listeners: { allow: ["127.0.0.1:*"], tls: required }
`;
    expect(check(policy)).toEqual([]);
    expect(gwc(directory.path, ["check", "--policy", "policy.yaml"]).status).toBe(0);
  });

  it.each([
    [
      "a plugin that is not listed",
      "plugins:\n  allow: [response-rewrite]",
      ["GW9001 13/2", "GW9001 15/2"],
      "GW9001",
    ],
    ["a plugin that is denied", "plugins:\n  deny: [response-rewrite]", ["GW9001 12/2"], "GW9001"],
    ["a host within a wildcard", "hosts:\n  deny: [v1.api.example.com]", ["GW9003 8/2"], "GW9003"],
    ["hosts that are not listed", "hosts:\n  allow: [shop.example.com]", ["GW9003 8/2"], "GW9003"],
    [
      "an address outside the networks",
      "upstreams:\n  allow: [10.2.0.0/16, '*.internal']",
      ["GW9004 4/2"],
      "GW9004",
    ],
    ["a name where networks are allowed", "upstreams:\n  allow: [10.0.0.0/8]", ["GW9004 4/2"], "GW9004"],
    ["an engine", "regex:\n  engines: [backtracking, linear]", ["GW9005 12/2"], "GW9005"],
    ["a filter that holds the body", "regex:\n  hold: false", ["GW9005 12/2"], "GW9005"],
    [
      "a listener, and those of defaults",
      "listeners:\n  allow: ['127.0.0.1:7085', '*:9180']",
      ["GW9006 undefined/2", "GW9006 1/2"],
      "GW9006",
    ],
  ])(
    "gwc check --policy reports %s at its line and names the line of the policy",
    (_, policy, findings, code) => {
      const found = check(policy);
      expect(found).toEqual(findings);
      expect(found.every((finding) => finding.startsWith(code))).toBe(true);
    },
  );

  it("gwc check --policy requires TLS for listeners that other machines reach", () => {
    expect(check("listeners: { tls: required }", GATEWAY.replace("ip: 127.0.0.1", "ip: 0.0.0.0"))).toEqual([
      "GW9007 1/1",
    ]);
    const [found] = check("listeners: { tls: required }", "routes: []\n");
    expect(found?.split(" ")).toEqual(["GW9007", "undefined/1"]);
  });

  it.each(["127.0.0.1:80", "0x7f000001:80", "127.0.0.1"])(
    "gwc check --policy checks the node %s by its address",
    (node) => {
      const gateway = `routes: [{ id: a, uri: /, upstream: { nodes: { "${node}": 1 } } }]\n`;
      expect(check("upstreams: { deny: [127.0.0.0/8] }", gateway)).toEqual(["GW9004 1/1"]);
    },
  );

  it.each([
    ["${{X}}.internal:80", "allow: ['*.internal']", []],
    ["${{X:=evil.example}}.internal:80", "allow: ['*.internal']", []],
    ["a-${{X}}.db.internal:80", "allow: ['*.internal'], deny: ['*.web.internal']", []],
    ["${{X}}.internal:80", "deny: [10.0.0.0/8]", []],
    ["${{X}}.internal:80", "deny: [db.internal]", ["GW9009"]],
    ["${{X}}.internal:80", "deny: ['*.db.internal']", ["GW9009"]],
    ["${{X}}.INTERNAL.:80", "deny: [db.internal]", ["GW9009"]],
    ["web-${{X}}.internal:80", "deny: [db.internal]", []],
    ["${{X}}.internal:80", "allow: [db.internal]", ["GW9009"]],
    ["${{X}}:80", "allow: ['*.internal']", ["GW9009"]],
    ["${{X}}:80", "deny: ['::1']", ["GW9009"]],
    ["${{X:=10.9.0.1}}:80", "deny: [10.9.0.0/16]", ["GW9009"]],
    ["10.9.0.${{X}}:80", "deny: [10.9.0.0/16]", ["GW9009"]],
    ["${{X}}.0x7f:80", "deny: [127.0.0.0/8]", ["GW9009"]],
    ["${{X}}:80", "allow: ['*']", []],
    ["${{X}}:80", "deny: ['*']", ["GW9009"]],
  ])(
    "gwc check --policy checks the node %s for every value of its variable, for upstreams: { %s }",
    (node, policy, codes) => {
      const gateway = `routes: [{ id: a, uri: /, upstream: { nodes: { "${node}": 1 } } }]\n`;
      expect(check(`upstreams: { ${policy} }`, gateway)).toEqual(codes.map((code) => `${code} 1/1`));
    },
  );

  it("gwc check --policy finds plugins in the captcha's section and in its audit", () => {
    const gateway = `captcha:
  audit:
    syslog: { host: 127.0.0.1, port: 514 }
    broker-logger: { brokers: [{ host: 127.0.0.1, port: 9092 }], broker_topic: t }
`;
    expect(check("plugins: { deny: [syslog] }", gateway)).toEqual(["GW9001 3/1"]);
    expect(check("plugins: { allow: [captcha, syslog] }", gateway)).toEqual(["GW9001 4/1"]);
    expect(check("plugins: { allow: [syslog, broker-logger] }", gateway)).toEqual(["GW9001 2/1"]);
    expect(check("plugins: { allow: [captcha, syslog, broker-logger] }", gateway)).toEqual([]);
    const attributes = "plugin_attr: { prometheus: { enable_export_server: false } }\n";
    expect(check("plugins: { allow: [] }", attributes)).toEqual([]);
  });

  it("gwc check --policy treats a route without hosts as one for all hosts", () => {
    const gateway = `routes: [{ id: a, uri: /, upstream: { nodes: { "10.0.0.1:80": 1 } } }]\n`;
    expect(check("hosts: { deny: [admin.example.com] }", gateway)).toEqual(["GW9003 1/1"]);
    expect(check("hosts: { allow: ['*'] }", gateway)).toEqual([]);
  });

  it("gwc check --policy loads no forbidden package", () => {
    writeFiles(
      at("loud"),
      packageFiles("loud", { "index.js": `${definition("loud", "")}\nconsole.log("it ran");\n` }),
    );
    writeFileSync(at("gateway.yaml"), "plugins: [./loud]\nroutes: []\n");
    writeFileSync(at("policy.yaml"), "packages: { allow: [] }\n");
    const { status, stdout, stderr } = gwc(directory.path, ["check", "--policy", "policy.yaml"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.match(/GW\d+/g)).toEqual(["GW9002"]);
  });

  it("gwc check --policy refuses an invalid or missing policy and suggests known fields and plugins", () => {
    writeFileSync(at("gateway.yaml"), GATEWAY);
    const refused = (policy: string) => {
      writeFileSync(at("policy.yaml"), policy);
      return gwc(directory.path, ["check", "--policy", "policy.yaml"]);
    };
    expect(refused("pluginz: { allow: [a] }")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/policy\.yaml:1:1 .*pluginz[\s\S]*plugins/),
    });
    expect(refused("plugins: {")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("policy.yaml"),
    });
    expect(gwc(directory.path, ["check", "--policy", "none.yaml"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("none.yaml"),
    });
    expect(refused("plugins: { deny: [respnse-rewrite] }").stderr).toMatch(
      /warning GW9008[\s\S]*did you mean "response-rewrite"/,
    );
    expect(check("plugins: { deny: [nothing-like-it] }")).toEqual([expect.stringContaining("GW9008")]);
  });
});

describe("gwc build --policy", () => {
  it("gwc build --policy writes the policy's hash to the manifest and no build that violates the policy", () => {
    writeFileSync(at("gateway.yaml"), GATEWAY);
    writeFileSync(at("policy.yaml"), "plugins: { deny: [captcha] }\n");
    const build = () => gwc(directory.path, ["build", "--policy", "policy.yaml", "--no-type-check"]);
    expect(build().status).toBe(0);
    const manifest = readFileSync(at("dist/manifest.json"), "utf8");
    const hash = createHash("sha256")
      .update(readFileSync(at("policy.yaml")))
      .digest("hex");
    expect(JSON.parse(manifest)).toMatchObject({ policy: hash });
    writeFileSync(at("policy.yaml"), "plugins: { deny: [key-auth] }\n");
    expect(build().status).toBe(1);
    expect(readFileSync(at("dist/manifest.json"), "utf8")).toBe(manifest);
  });
});
