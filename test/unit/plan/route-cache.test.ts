import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { RouteCache } from "../../../compiler/4-plan/route-cache.js";
import { Cache } from "../../../compiler/cache/cache.js";
import { compile } from "../../../compiler/index.js";

const upstream = { nodes: { "127.0.0.1:80": 1 } };
const filter = (regex: string) => ({ "response-rewrite": { filters: [{ regex, replace: "" }] } });

it("a route is cached although its filter delays live streams, and not cached with a warning", () => {
  const routes = [
    { id: "plain", uri: "/plain", upstream },
    { id: "delays", uri: "/delays", upstream, plugins: filter("<b[^>]*>") },
    { id: "nothing", uri: "/nothing", upstream, plugins: { "response-rewrite": { headers: {} } } },
    {
      id: "warned",
      uri: "/warned",
      upstream,
      plugins: { "response-rewrite": { status_code: 205, body: "x" } },
    },
  ];
  const text = JSON.stringify({ routes });
  const cache = new Cache([]);
  const memory = { cache, routes: new RouteCache(cache, { isUsable: () => true, needsPlans: false }) };
  const { diagnostics } = compile(
    { sources: [{ name: "r.json", text, format: "json" }], environment: {}, advice: false },
    undefined,
    memory,
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(["GW4202"]);
  expect([...memory.routes.keys.keys()].sort()).toEqual(["delays", "nothing", "plain"]);
});
