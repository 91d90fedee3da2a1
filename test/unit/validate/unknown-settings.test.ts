import { expect, it } from "vitest";
import "../../../plugins/index.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import { compile } from "../../../compiler/index.js";
import type { SourceText } from "../../../compiler/parse/source.js";

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

it("no default stands for the settings of a file that cannot be read", () => {
  const judged = ["GW3024", "GW3044", "GW4504", "GW9006", "GW9007"];
  expect(codes([])).toEqual(expect.arrayContaining(judged));
  const unread = codes([diagnostic("GW1031", undefined, { path: "gateway.yaml", reason: "EACCES" })]);
  expect(unread.filter((code) => judged.includes(code))).toEqual([]);
});
