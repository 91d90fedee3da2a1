import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";

it("refuses a resource that is larger than a body of the admin API, at its place with its size and the limit", () => {
  const route = { id: "large", uri: "/", plugins: { "response-rewrite": { body: "x".repeat(1_600_000) } } };
  const text = JSON.stringify({
    routes: [{ id: "small", uri: "/s", upstream: { nodes: { "127.0.0.1:9": 1 } } }, route],
  });
  const sources = [{ name: "gateway.json", text, format: "json" as const }];
  const { diagnostics } = compile({ sources, environment: {} });
  expect(diagnostics).toMatchObject([{ code: "GW2127", span: { file: "gateway.json", start: { line: 1 } } }]);
  expect(diagnostics[0]?.message).toBe("the route has 1600067 characters as JSON; 1572864 is the limit");
});
