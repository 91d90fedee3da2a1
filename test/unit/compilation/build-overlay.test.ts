import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import type { Compilation } from "../../../compiler/compilation/compilation.js";
import type { CompileInput, StoredResource } from "../../../compiler/model/input.js";
import type { BuiltResource } from "../../../runtime/abi/build-files.js";
import type { Artifact } from "../../../runtime/abi/generation.js";
import { mergeArtifacts } from "../../../runtime/control/delta.js";
import { newCompilation } from "../../support/compilation.js";

const BUILT = `
upstreams:
  - { id: nodes, nodes: { "10.0.0.1:80": 1 } }
services:
  - { id: shop, hosts: [shop.test], upstream_id: nodes, plugins: { key-auth: {} } }
plugin_configs:
  - { id: head, plugins: { response-rewrite: { headers: { set: { X-Head: "1" } } } } }
plugin_metadata:
  - { id: syslog, log_format: { host: $host } }
global_rules:
  - { id: everywhere, plugins: { proxy-rewrite: { headers: { set: { X-Gate: "1" } } } } }
consumers:
  - { username: built, plugins: { key-auth: { key: "\${{BUILT_KEY}}" } } }
routes:
  - { id: second, uri: "/tie/*", vars: [[http_a, "==", b]], service_id: shop }
  - { id: first, uri: "/tie/*", vars: [[http_a, "==", a]], service_id: shop }
  - { id: open, uri: /open, upstream_id: nodes, plugin_config_id: head }
  - { id: off, uri: /off, upstream_id: nodes, status: 0 }
`;

const ENVIRONMENT = { BUILT_KEY: "b" };
const SOURCES = [{ name: "gateway.yaml", text: BUILT, format: "yaml" as const }];
const STORED: StoredResource[] = [
  { kind: "routes", id: "own", value: { uri: "/own", service_id: "shop", plugin_config_id: "head" } },
  { kind: "upstreams", id: "more", value: { nodes: { "10.0.0.2:80": 1 } } },
  { kind: "routes", id: "mine", value: { uri: "/mine", upstream_id: "more", plugins: { "key-auth": {} } } },
];
const CONSUMER: StoredResource = {
  kind: "consumers",
  id: "jane",
  value: { username: "jane", plugins: { "key-auth": { key: "k" } } },
};

function compiled(input: Partial<CompileInput>) {
  const compilation = newCompilation({ secretKey: "secret-key" });
  const loaded = compilation.load({ sources: [], environment: ENVIRONMENT, ...input });
  if (!loaded.artifact) throw new Error(JSON.stringify(loaded.diagnostics));
  return { ...loaded, artifact: loaded.artifact, compilation };
}

const { artifact: built, resources } = compiled({ sources: SOURCES });
const orders = new Map(built.routes.map(({ id, order }) => [id, order]));
const BUILD = resources.map(({ kind, id, value }): BuiltResource => {
  const order = kind === "routes" ? orders.get(id) : undefined;
  return {
    kind,
    id,
    value: value as BuiltResource["value"],
    place: "gateway.yaml:1:1",
    ...(order !== undefined && { order }),
  };
});

/** What runs, in an order of its own. */
const running = ({ routes, upstreams, modules, globalRules, pluginMetadata, tables }: Artifact) => ({
  routes: routes.map((row) => JSON.stringify(row)).sort(),
  upstreams: upstreams.map((table) => JSON.stringify(table)).sort(),
  modules: modules.map(({ moduleId, code }) => [moduleId, code.replace(/plan \w+/, "plan")]).sort(),
  rules: globalRules.map(({ id }) => id).sort(),
  metadata: pluginMetadata.map(({ plugin }) => plugin).sort(),
  tables,
});

describe("the overlay of a build", () => {
  it.each([
    ["routes", STORED],
    ["a consumer too", [...STORED, CONSUMER]],
  ])("runs as if all had been compiled at once: %s", (_, stored) => {
    const whole = compiled({ sources: SOURCES, stored });
    const beside = compiled({ built: BUILD, stored });
    expect(running(mergeArtifacts(built, beside.artifact))).toEqual(running(whole.artifact));
  });

  it("a write to the overlay does not compile the build again", () => {
    const beside = compiled({ built: BUILD, stored: STORED });
    expect(beside.artifact.modules.map(({ moduleId }) => moduleId).sort()).toEqual([
      "route:mine",
      "route:own",
    ]);
    expect(beside.diagnostics).toEqual([]);
  });

  it("a build is as before when the last stored consumer is deleted", () => {
    const { compilation, artifact } = compiled({ built: BUILD, stored: STORED });
    const write = (change: Parameters<Compilation["write"]>[0][number]) => {
      const pending = compilation.write([change]);
      expect(pending.errorMessage).toBe("");
      pending.commit();
      return pending.delta;
    };
    const { kind, id, value } = CONSUMER;
    const came = write({ put: { kind, id, text: JSON.stringify(value) } });
    expect(came?.modules.put.map(({ moduleId }) => moduleId).sort()).toEqual([
      ...["route:first", "route:mine", "route:own", "route:second"],
    ]);
    const went = write({ remove: { kind, id } });
    const before = new Map([...built.modules, ...artifact.modules].map((one) => [one.moduleId, one.hash]));
    for (const { moduleId, hash } of went?.modules.put ?? [])
      expect([moduleId, hash]).toEqual([moduleId, before.get(moduleId)]);
    expect(went?.modules.put).toHaveLength(4);
  });
});
