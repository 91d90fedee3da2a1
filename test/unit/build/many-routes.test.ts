import "../../../plugins/index.js";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkBuildPolicy } from "../../../compiler/7-build/build-policy.js";
import { writeBuild } from "../../../compiler/7-build/write.js";
import { compile } from "../../../compiler/index.js";
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
  expect(writeBuild(dist, { ...result, artifact, plan })).toEqual([]);
  return artifact;
}

let artifact: ReturnType<typeof built>;
beforeAll(() => {
  artifact = built(configuration("one"));
});

it("a build of many similar routes is stored as deltas and read with all resources and locations", () => {
  const lines = readFileSync(join(dist, "plan.json"), "utf8").split("\n");
  expect(lines.filter((line) => line.includes('"pipeline"')).length).toBeLessThan(9);
  const read = readBuild(dist);
  expect(read.artifact).toEqual(JSON.parse(JSON.stringify(artifact)));
  expect(read.resources).toHaveLength(ROUTES + 1);
  expect(read.resources.find(({ id }) => id === "r299")).toMatchObject({
    value: { uri: "/r299/*" },
    place: expect.stringMatching(/^gateway\.yaml:\d+:/),
  });
});

it("a build of many routes is checked against a policy on the regular expressions in its plan", () => {
  const policy = join(root, "policy.yaml");
  const from = { path: dist, directory: root, writable: false, policy };
  const findings = (text: string) => {
    writeFileSync(policy, text);
    const { content, resources, deployment } = builtOrigin(from);
    if (content === undefined) throw new Error("no content");
    return checkBuildPolicy({ ...content, resources, deployment }, policy, root).report;
  };
  expect(findings("regex: { hold: true }")).toBe("");
  const refused = findings("regex: { hold: false }");
  expect(refused.match(/GW9005/g)).toHaveLength(ROUTES);
  expect(refused).toContain("gateway.yaml");
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
