import "../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RouteCache } from "../../compiler/4-plan/route-cache.js";
import { locationsText, resourcesText } from "../../compiler/7-build/resources.js";
import { Cache } from "../../compiler/cache/cache.js";
import { type CompileMemory, compile } from "../../compiler/index.js";
import type { SourceText } from "../../compiler/model/source.js";
import { locationsOf } from "../../compiler/model/source-locations.js";
import { runs } from "../support/runs.js";
import { resource } from "./resources.js";

/** Text beside resources: settings, secrets, variables, and numbers that JSON cannot express. */
const extra = fc.constantFrom(
  "",
  "gw: { node_listen: 9080 }\n",
  'deployment: { admin: { admin_key: [{ name: a, key: "${{KEY}}" }] } }\n',
  "deployment: { admin: { admin_key: [{ name: a, key: written-in-a-text }] } }\n",
  'deployment: { admin: { admin_key: [{ name: a, key: "${{KEY:=written-as-default}}" }] } }\n',
  'plugin_configs: [{ id: "${{NAME:=9}}", plugins: { "proxy-rewrite": { uri: "/${{NAME:=x}}" } } }]\n',
  'plugin_configs: [{ id: 8, plugins: { proxy-rewrite: { headers: { set: { "${{NAME:=X}}": 1 } } } } }]\n',
  "plugin_configs: [{ id: 7, plugins: { response-rewrite: { status_code: 200, vars: [[status, ==, -0]] } } }]\n",
  "nonsense: 1\n",
  "- nothing\n",
  "tests: []\n",
);

const file = fc
  .tuple(fc.nat(3), extra, fc.array(resource, { maxLength: 4 }), fc.boolean())
  .map(([comments, settings, resources, isBlock]) => {
    const lists = new Map<string, string[]>();
    for (const { kind, id, value } of resources) {
      const item = kind === "consumers" ? (value as object) : { id, ...(value as object) };
      const text = JSON.stringify(item, null, isBlock ? undefined : 4).replaceAll("\n", "\n    ");
      lists.set(kind, [...(lists.get(kind) ?? []), `  - ${text}\n`]);
    }
    const listed = [...lists].filter(([kind]) => !settings.startsWith(kind));
    const body = listed.map(([kind, items]) => `${kind}:\n${items.join("")}`).join("");
    return `${"# a comment\n".repeat(comments)}${settings}${body}`;
  });

const step = fc.record({
  changed: fc.dictionary(fc.constantFrom("a.yaml", "b.yaml", "teams/c.yaml"), file),
  name: fc.constantFrom(undefined, "9", "Y"),
});

function outcome(sources: SourceText[], name: string | undefined, memory?: CompileMemory) {
  const environment = { P: "p", KEY: "k", NAME: name };
  const result = compile({ sources, environment, secretKey: "s", advice: false }, undefined, memory);
  const { diagnostics, artifact, plan, literalSecrets, deployment, modules } = result;
  const places = locationsOf(result.resources);
  return {
    ...{ diagnostics, artifact, literalSecrets, deployment, environment: result.environment },
    plan: JSON.stringify(plan),
    modules: modules.map(({ content, text }) => [content, text.code]),
    resources: resourcesText(result.resources),
    // Before other locations are requested, which are looked up in the parsed text.
    ids: locationsText(result.resources),
    places: plan?.routes.flatMap(({ origin, pipeline }) => [
      places.span(origin),
      ...(pipeline?.steps ?? []).map((one) => places.span(one.origin)),
    ]),
  };
}

describe("consecutive builds", () => {
  it("a compile with the persistent file cache has the same artifact, diagnostics and locations as without it", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 6 }), (steps) => {
        const texts = new Map<string, string>();
        let lines: ReadonlyMap<string, string> = new Map();
        for (const { changed, name } of steps) {
          for (const [path, text] of Object.entries(changed)) texts.set(path, text);
          const sources = [...texts].map(
            ([path, text]): SourceText => ({ name: path, text, format: "yaml" }),
          );
          const cache = new Cache(lines);
          const routes = new RouteCache(cache, { isUsable: () => false, needsPlans: false });
          const remembered = outcome(sources, name, { cache, routes });
          expect(remembered).toEqual(outcome(sources, name));
          lines = cache.texts();
          expect([...lines.values()].join()).not.toContain("written-");
        }
      }),
      { numRuns: runs(50) },
    );
  });
});
