import "../../../plugins/index.js";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BuiltContent, checkBuildPolicy } from "../../../compiler/7-build/build-policy.js";
import { writeBuild } from "../../../compiler/7-build/write.js";
import { compile } from "../../../compiler/index.js";
import { sha256 } from "../../../runtime/abi/hash.js";
import { VERSION } from "../../../runtime/abi/version.js";
import { builtOrigin } from "../../../runtime/control/launch-settings.js";
import { readBuild } from "../../../runtime/proxy/host/build-reader.js";
import { gwc } from "../../support/cli.js";

const ROUTES = 300;
const root = mkdtempSync(join(tmpdir(), "gwc-many-"));
const dist = join(root, "dist");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const route = (id: string, value: string) => `  - id: ${id}
    uri: /${id}/*
    upstream_id: u
    plugins:
      proxy-rewrite: { headers: { set: { X-A: "${value}", "200": "-" } } }
      response-rewrite: { filters: [{ regex: '${id}-[0-9]+\\.internal', scope: global, replace: "x" }] }
`;
const configuration = (value: string) =>
  `upstreams:\n  - { id: u, nodes: { "10.0.0.1:80": 1 } }\nroutes:\n${Array.from({ length: ROUTES }, (_, i) =>
    route(`r${i}`, i === 7 ? value : "same"),
  ).join("")}`;

function built(text: string) {
  const sources = [{ name: "gateway.yaml", text, format: "yaml" as const }];
  const result = compile({ sources, environment: {} });
  const { artifact, plan } = result;
  if (!artifact || !plan) throw new Error(JSON.stringify(result.diagnostics));
  expect(writeBuild(dist, { ...result, artifact, plan }).diagnostics).toEqual([]);
  return artifact;
}

let artifact: ReturnType<typeof built>;
beforeAll(() => {
  artifact = built(configuration("one"));
});

it("a build of many routes has one item on a line, as JSON, and is read with all resources and locations", () => {
  const lines = (file: string) =>
    readFileSync(join(dist, file), "utf8")
      .split("\n")
      .filter((line) => line.includes('"r7"'))
      .map((line): unknown => JSON.parse(line.replace(/,$/, "")));
  expect(lines("gateway.json")[0]).toMatchObject({ id: "r7", uris: ["/r7/*"], methods: [] });
  expect(lines("resources.json")).toMatchObject([{ kind: "routes", id: "r7", value: { uri: "/r7/*" } }]);
  const read = readBuild(dist);
  expect(read.artifact).toEqual(JSON.parse(JSON.stringify(artifact)));
  expect(read.resources).toHaveLength(ROUTES + 1);
  expect(read.resources.find(({ id }) => id === "r299")).toMatchObject({
    value: { uri: "/r299/*" },
    place: expect.stringMatching(/^gateway\.yaml:\d+:/),
  });
});

/** Checks the build against a policy. @param change replaces members of the build */
function findings(text: string, change: Partial<BuiltContent> = {}): string {
  const policy = join(root, "policy.yaml");
  writeFileSync(policy, text);
  const { content, resources, deployment } = builtOrigin({
    ...{ path: dist, directory: root, writable: false, policy },
  });
  if (content === undefined) throw new Error("no content");
  return checkBuildPolicy({ ...content, resources, deployment, ...change }, policy, root).report;
}

it("a build of many routes is checked against a policy on regular expressions", () => {
  expect(findings("regex: { hold: true }")).toBe("");
  const refused = findings("regex: { hold: false }");
  expect(refused.match(/GW9005/g)).toHaveLength(ROUTES);
  expect(refused).toContain("gateway.yaml");
});

it("rules on regular expressions are checked once if a build is made and run with the same policy", () => {
  const strict = "regex: { hold: false }";
  expect(findings(strict, { policy: sha256(strict) })).toBe("");
  const plugins = `${strict}\nplugins: { deny: [response-rewrite] }`;
  expect(findings(plugins, { policy: sha256(plugins) }).match(/GW9001/g)).toHaveLength(ROUTES);
  expect(findings(strict, { policy: sha256(plugins) })).toContain("GW9005");
});

it("GW6104 reports a build of another version if a policy has rules on regular expressions", () => {
  expect(findings("regex: { hold: true }", { version: "0.0.1" })).toContain(
    `GW6104: "${dist}" has version 0.0.1, this gwc needs version ${VERSION}`,
  );
  expect(findings("plugins: { deny: [redirect] }", { version: "0.0.1" })).toBe("");
});

it("a policy with rules on regular expressions rejects a build whose resources do not compile", () => {
  const resources = [{ kind: "routes", id: "r", value: { uri: 7 }, place: "gateway.yaml:3:1" }];
  expect(findings("regex: { hold: true }", { resources })).toContain("gateway.yaml:3:1");
});

it("gwc diff compares a build of many routes with files, route by route", () => {
  const file = join(root, "gateway.yaml");
  writeFileSync(file, configuration("one"));
  const same = gwc(root, ["diff", "dist", "gateway.yaml"]);
  expect(same.status).toBe(0);
  expect(same.stdout).not.toMatch(/\br\d/);
  writeFileSync(file, configuration("two"));
  const { stdout } = gwc(root, ["diff", "dist", "gateway.yaml"]);
  expect(stdout).toContain("r7");
  expect(stdout).not.toContain("r8");
});
