import fc from "fast-check";
import type { StoredResource } from "../../compiler/model/input.js";
import type { Kind } from "../../compiler/model/resource.js";
import type { Artifact, Delta } from "../../runtime/abi/generation.js";
import { filledTables } from "../../runtime/abi/plugin-tables.js";

export const id = fc.constantFrom("1", "2", "3");
const authenticated = fc.constantFrom({}, { "key-auth": {} }, { "key-auth": { _meta: { disable: true } } });
const reference = fc.option(fc.constantFrom("1", "2", "3", "fixed"), { nil: undefined, freq: 2 });
const plugins = fc.option(
  fc.record(
    {
      "proxy-rewrite": fc.record({
        headers: fc.record({ set: fc.record({ "X-A": fc.constantFrom("1", "$uri") }) }),
      }),
      "broker-logger": fc.constantFrom("one", "two", "${{P}}").map((password) => ({
        brokers: [{ host: "kafka", port: 9092, sasl_config: { user: "u", password } }],
        broker_topic: "t",
      })),
      "response-rewrite": fc.record(
        { status_code: fc.constantFrom(200, 404), _meta: fc.record({ disable: fc.boolean() }) },
        { requiredKeys: ["status_code"] },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const upstream = fc.record({ nodes: fc.record({ "10.0.0.1:80": fc.constantFrom(0, 1, 2) }) });

export const siteKey = fc.constantFrom("site-key-1", "site-key-2");
export const apiKey = fc.constantFrom("apikey01", "apikey02", "apikey03");
export const metadataId = fc.constantFrom("syslog", "broker-logger");
/** Resources of every kind with few ids, so that they name, replace and shadow each other. */
export const resource: fc.Arbitrary<StoredResource> = fc.oneof(
  entry("upstreams", upstream),
  entry("services", fc.record({ plugins, upstream_id: reference, plugin_config_id: reference })),
  entry("services", fc.record({ plugins, upstream, hosts: fc.constantFrom(undefined, ["A.example.com"]) })),
  entry("plugin_configs", fc.record({ plugins: plugins.map((value) => value ?? {}) })),
  entry(
    "routes",
    fc.record({
      uri: fc.constantFrom("/a", "/a/*", "/b/:x"),
      status: fc.constantFrom(undefined, 0, 1),
      vars: fc.constantFrom(undefined, [["arg_x", "==", "1"]]),
      plugins: plugins.map((value) => value ?? {}),
      service_id: reference,
      plugin_config_id: reference,
      upstream_id: reference,
    }),
  ),
  entry(
    "routes",
    fc.record({ uris: fc.constantFrom(["/a", "/c"]), upstream, priority: fc.constantFrom(0, 1) }),
  ),
  entry("global_rules", fc.record({ plugins: plugins.map((value) => value ?? {}) })),
  entry("routes", fc.record({ uri: fc.constant("/k"), plugins: authenticated, service_id: reference })),
  entry("services", fc.record({ plugins: authenticated, upstream })),
  entry("global_rules", fc.record({ plugins: authenticated })),
  fc
    .record({
      id: metadataId,
      host: fc.constantFrom("$host", "$remote_addr", "@$host"),
      most: fc.constantFrom(1, 2),
    })
    .map(({ id, host, most }) => {
      const value = { log_format: { host }, max_pending_entries: most };
      return { kind: "plugin_metadata" as const, id, value };
    }),
  entry("captcha_customers", fc.record({ enabled: fc.boolean() })),
  entry(
    "captcha_site_keys",
    fc.record({
      customer: fc.constantFrom("1", "2", "nobody"),
      hostnames: fc.constantFrom(["a.example"], ["A.example", "b.example"]),
      task_types: fc.constantFrom(undefined, ["rings"], ["audio"]),
    }),
    siteKey,
  ),
  fc
    .record({ id: apiKey, customer: fc.constantFrom("1", "2"), letter: fc.constantFrom("a", "b", "$") })
    .map(({ id: key, customer, letter }) => {
      const text = letter === "$" ? "${{CAPTCHA_KEY}}" : `spk_${key}_${letter.repeat(43)}_012345`;
      return { kind: "captcha_api_keys" as const, id: key, value: { customer, key: text } };
    }),
  fc.record({ id, key: fc.constantFrom("", "a", "b") }).map(({ id, key }) => {
    const settings = key === "" ? {} : { "key-auth": { key: `${key}${id}` } };
    return { kind: "consumers" as const, id, value: { username: id, plugins: settings } };
  }),
);

function entry(
  kind: Kind,
  value: fc.Arbitrary<object>,
  ids: fc.Arbitrary<string> = id,
): fc.Arbitrary<StoredResource> {
  return fc
    .record({ kind: fc.constant(kind), id: ids, value })
    .map((item) => ({ ...item, value: JSON.parse(JSON.stringify(item.value)) as unknown }));
}

/** The artifact after a delta. */
export function applied(artifact: Artifact, delta: Delta): Artifact {
  const tables = filledTables({ ...artifact.tables, ...delta.tables });
  const merged = <T>(
    items: T[],
    { put, remove }: { put: T[]; remove: string[] },
    name: (item: T) => string,
  ) => {
    const all = new Map(items.map((item) => [name(item), item]));
    for (const item of put) all.set(name(item), item);
    for (const gone of remove) all.delete(gone);
    return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  };
  return {
    abi: delta.abi,
    planHash: delta.planHash,
    routes: merged(artifact.routes, delta.routes, (row) => row.id),
    upstreams: merged(artifact.upstreams, delta.upstreams, (table) => table.key),
    globalRules: delta.globalRules ?? artifact.globalRules,
    pluginMetadata: delta.pluginMetadata ?? artifact.pluginMetadata,
    ...(tables && { tables }),
    modules: merged(artifact.modules, delta.modules, (module) => module.moduleId),
  };
}
