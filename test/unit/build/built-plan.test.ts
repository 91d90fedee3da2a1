import "../../../plugins/index.js";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { canonicalPlan } from "../../../compiler/4-plan/fingerprint.js";
import { planOfBuild } from "../../../compiler/7-build/built-plan.js";
import { writeBuild } from "../../../compiler/7-build/write.js";
import { compile } from "../../../compiler/index.js";
import { readBuild } from "../../../runtime/proxy/host/build-reader.js";

const GOLDEN = join(import.meta.dirname, "../../golden");
const cases = readdirSync(GOLDEN, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const ENVIRONMENT = { NODE: "10.0.0.7", PORT: "9443", NAME: "$" + "{{PORT}}" };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-built-plan-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Compiles and builds; returns the plan, and that of the build. */
function plans(text: string): [compiled: string, built: string] {
  const sources = [{ name: "shop.yaml", text, format: "yaml" as const }];
  const result = compile({ sources, environment: ENVIRONMENT });
  const { artifact, plan } = result;
  if (!artifact || !plan) throw new Error(JSON.stringify(result.diagnostics));
  const dist = join(directory, "dist");
  const { diagnostics } = writeBuild(dist, { ...result, artifact, plan });
  expect(diagnostics.map(({ code }) => code)).not.toContain("GW6109");
  const build = readBuild(dist, undefined, true);
  expect(build.plan).toBeUndefined();
  const again = planOfBuild(build);
  if (Array.isArray(again)) throw new Error(JSON.stringify(again));
  return [canonicalPlan(plan), canonicalPlan(again)];
}

it.each(cases)("the plan of a build of the golden configuration %s follows from its resources", (name) => {
  const [compiled, built] = plans(readFileSync(join(GOLDEN, name, "shop.yaml"), "utf8"));
  expect(built).toBe(compiled);
});

it.each([
  [
    "variables, of which one value looks like a variable,",
    `routes:
  - id: r
    name: "\${{NAME}}"
    uri: /r
    plugins: { proxy-rewrite: { headers: { set: { X-Node: "\${{NODE}}" } } } }
    upstream: { nodes: { "\${{NODE}}:80": 1 } }
`,
  ],
  [
    "ties in another order than that of the ids, and a disabled route,",
    `upstreams: [{ id: u, nodes: { "10.0.0.1:80": 1 } }]
services: [{ id: s, upstream_id: u, hosts: [a.example.com] }]
routes:
  - { id: zz, uri: /r1/*, service_id: s }
  - { id: off, uri: /r1/*, service_id: s, status: 0 }
  - { id: mm, uri: /r1/*, service_id: s }
  - { id: aa, uris: [/r1/*, /r2/*], service_id: s }
  - { id: bb, uri: /r2/*, service_id: s }
`,
  ],
  [
    "consumers, global rules and shared parts in another order than that of the ids",
    `plugin_metadata:
  - { id: syslog, log_format: { host: $host } }
upstreams:
  - { id: z, nodes: { "10.0.0.2:80": 2, "10.0.0.1:80": 1 } }
  - { id: a, nodes: [{ host: 10.0.0.3, port: 80, weight: 1 }] }
consumers:
  - { username: zoe, plugins: { key-auth: { key: "\${{ZOE}}" } } }
  - { username: ann, plugins: { key-auth: { key: "\${{ANN}}" } } }
global_rules:
  - { id: 2, plugins: { response-rewrite: { headers: { set: { X-Gw: "2" } } } } }
  - { id: 1, plugins: { syslog: { host: 10.0.0.9, port: 514 } } }
plugin_configs:
  - { id: p, plugins: { key-auth: {} } }
services:
  - { id: s, upstream_id: z, hosts: [b.example.com, a.example.com] }
  - { id: inline, upstream: { nodes: { "10.0.0.4:80": 1 } } }
routes:
  - { id: r, uris: [/b/*, /a], service_id: s, plugin_config_id: p, methods: [PUT, GET] }
  - { id: o, uri: /o, service_id: inline, timeout: { connect: 1, send: 2, read: 3 } }
  - { id: d, uri: /d, upstream_id: a, vars: [["http_x", "in", ["b", "a"]]] }
`,
  ],
  [
    "settings that plans depend on",
    `gw:
  node_listen: 9080
  ssl: { listen: [{ ip: 127.0.0.1, port: 9443 }] }
  path: { escaped_slashes: decode }
deployment:
  admin: { admin_key: [{ name: a, key: literal-of-the-file, role: admin }] }
routes:
  - id: r
    uri: /r
    vars: [[http_x, "~~", "^(a+)+b"]]
    plugins:
      redirect: { http_to_https: true }
    upstream: { nodes: { "10.0.0.1:80": 1 } }
`,
  ],
])("the plan of a build with %s follows from its resources", (_, text) => {
  const [compiled, built] = plans(text);
  expect(built).toBe(compiled);
});
