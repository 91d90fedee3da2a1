import { expect, it } from "vitest";
import "../../../plugins/index.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import { compile } from "../../../compiler/index.js";
import type { SourceText } from "../../../compiler/model/source.js";
import { validateDocument } from "../../../compiler/thread/validate-document.js";

const yaml = (name: string, text: string): SourceText => ({ name, text, format: "yaml" });

const ROUTES = yaml(
  "routes.yaml",
  `routes:
  - { id: doubled, uri: /a//b, upstream: { nodes: { "127.0.0.1:9080": 1 } } }
  - { id: asked, uri: /c, vars: [[http_x, "~~", "(?<!x)a[^b]*c"]], upstream: { nodes: { "10.0.0.1:80": 1 } } }
`,
);
const ADMIN = yaml("admin.yaml", "deployment: { admin: { admin_listen: { ip: 127.0.0.1, port: 9180 } } }\n");
const policy = yaml("policy.yaml", "listeners: { allow: ['127.0.0.1:*'], tls: required }\n");

const codes = (faults: ReturnType<typeof diagnostic>[]) =>
  compile({ sources: [ROUTES, ADMIN], environment: {}, policy, faults }).diagnostics.map(({ code }) => code);

it("a check that depends on settings is skipped if a file cannot be read, and assumes no defaults", () => {
  const judged = ["GW3024", "GW3044", "GW4504", "GW9006", "GW9007"];
  expect(codes([])).toEqual(expect.arrayContaining(judged));
  const unread = codes([diagnostic("GW1031", undefined, { path: "gateway.yaml", reason: "EACCES" })]);
  expect(unread.filter((code) => judged.includes(code))).toEqual([]);
});

it("limits in a readable file are used if another file cannot be read", () => {
  const limits = yaml("limits.yaml", "gw: { limits: { header_bytes: 32768 } }\n");
  const faults = [diagnostic("GW1031", undefined, { path: "gateway.yaml", reason: "EACCES" })];
  const { diagnostics } = compile({ sources: [ROUTES, limits], environment: {}, faults });
  expect(diagnostics.map(({ code }) => code)).toContain("GW4504");
});

it.each([
  ["its own limits", "gw: { limits: { header_bytes: 2048 } }", 0],
  ["any limits where a setting is faulty", 'gw: { node_listen: "9080", limits: { header_bytes: 2048 } }', 0],
  ["the defaults where it has none", "gw: { workers: 2 }", 1],
])("the patterns of an admin API document are checked against %s", (_, settings, slow) => {
  const { diagnostics } = validateDocument(`${settings}\n${ROUTES.text}`, "yaml");
  expect(diagnostics.filter(({ code }) => code === "GW4504")).toHaveLength(slow);
});
