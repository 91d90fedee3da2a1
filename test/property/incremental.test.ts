import "../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Compilation } from "../../compiler/incremental.js";
import { compile } from "../../compiler/index.js";
import type { Change, StoredResource } from "../../compiler/input.js";
import type { SourceText } from "../../compiler/parse/source.js";
import type { Kind } from "../../compiler/resolve/resource.js";
import type { Artifact, Delta } from "../../runtime/abi/generation.js";
import { filledTables } from "../../runtime/abi/plugin-tables.js";

const FILES: SourceText[] = [
  {
    name: "gateway.yaml",
    format: "yaml",
    text: `
upstreams:
  - { id: fixed, nodes: { "10.0.0.1:80": 1 } }
plugin_configs:
  - { id: fixed, plugins: { proxy-rewrite: { headers: { set: { X-From: file } } } } }
routes:
  - { id: fixed, uri: /fixed, upstream_id: fixed, plugin_config_id: fixed }
  - { id: also, uri: /also/*, upstream_id: fixed }
`,
  },
];
const environment = {};
const secretKey = "of the installation";

const id = fc.constantFrom("1", "2", "3");
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

const siteKey = fc.constantFrom("site-key-1", "site-key-2");
const apiKey = fc.constantFrom("apikey01", "apikey02", "apikey03");
const metadataId = fc.constantFrom("syslog", "broker-logger");
const resource: fc.Arbitrary<StoredResource> = fc.oneof(
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

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: resource.map(({ kind, id, value }) => ({ put: { kind, id, text: JSON.stringify(value) } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .record({
        kind: fc.constantFrom<Kind>(
          "consumers",
          "routes",
          "services",
          "upstreams",
          "plugin_configs",
          "global_rules",
          "captcha_customers",
        ),
        id,
        force: fc.boolean(),
      })
      .map((remove) => ({ remove })),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      siteKey.map((key) => ({ remove: { kind: "captcha_site_keys" as const, id: key } })),
      apiKey.map((key) => ({ remove: { kind: "captcha_api_keys" as const, id: key } })),
    ),
  },
  {
    weight: 1,
    arbitrary: metadataId.map((id) => ({ remove: { kind: "plugin_metadata" as const, id } })),
  },
);
const step = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 3 }),
  accepted: fc.boolean(),
});

function applied(artifact: Artifact, delta: Delta): Artifact {
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
    modules: merged(artifact.modules, delta.modules, (module) => module.unit),
  };
}

function remember(
  stored: Map<string, StoredResource>,
  changes: Change[],
  absent: { kind: Kind; id: string }[],
) {
  for (const item of changes) {
    if ("put" in item) {
      const { kind, id, text } = item.put;
      stored.set(`${kind}/${id}`, { kind, id, value: JSON.parse(text) as unknown });
    } else stored.delete(`${item.remove.kind}/${item.remove.id}`);
  }
  for (const { kind, id } of absent) stored.set(`${kind}/${id}`, { kind, id, value: null });
}

describe("writes one after another", () => {
  it("give the same artifact as compiling everything anew, as do their deltas", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const compilation = new Compilation(secretKey);
        let mirror = compilation.load({ sources: FILES, environment }).artifact as Artifact;
        const stored = new Map<string, StoredResource>();
        for (const { changes, accepted } of steps) {
          const pending = compilation.write(changes);
          if (!pending.delta) {
            expect(pending.errorMessage).not.toBe("");
            continue;
          }
          if (accepted) {
            mirror = applied(mirror, pending.delta);
            remember(stored, changes, pending.absent);
            pending.commit();
          } else pending.rollback();
          const anew = compile({ sources: FILES, environment, secretKey, stored: [...stored.values()] });
          expect(anew.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
          expect(mirror).toEqual(anew.artifact);
          if (accepted) expect(new Map(pending.secrets)).toEqual(new Map(anew.secrets));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("are refused exactly when the whole would not compile", () => {
    fc.assert(
      fc.property(fc.array(resource, { minLength: 1, maxLength: 12 }), (puts) => {
        const compilation = new Compilation();
        compilation.load({ sources: FILES, environment });
        const stored = new Map<string, StoredResource>();
        for (const put of puts) {
          const { kind, id, value } = put;
          const pending = compilation.write([{ put: { kind, id, text: JSON.stringify(value) } }]);
          const next = new Map(stored).set(`${kind}/${id}`, put);
          const whole = compile({ sources: FILES, environment, stored: [...next.values()] });
          expect(pending.delta === undefined).toBe(whole.artifact === undefined);
          if (!pending.delta) continue;
          stored.set(`${kind}/${id}`, put);
          pending.commit();
        }
      }),
      { numRuns: 100 },
    );
  });

  it("survive a reload of the files in between", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(step, { maxLength: 6 }),
        (before, after) => {
          const compilation = new Compilation();
          let mirror = compilation.load({ sources: FILES, environment }).artifact as Artifact;
          const stored = new Map<string, StoredResource>();
          const write = ({ changes }: { changes: Change[] }) => {
            const pending = compilation.write(changes);
            if (!pending.delta) return;
            mirror = applied(mirror, pending.delta);
            remember(stored, changes, pending.absent);
            pending.commit();
          };
          before.forEach(write);
          const [file] = FILES;
          const sources = [
            { ...file, text: `${file?.text}  - { id: new, uri: /new, upstream_id: fixed }\n` } as SourceText,
          ];
          const reload = compilation.reload({ sources });
          mirror = applied(mirror, reload.delta as Delta);
          reload.commit();
          after.forEach(write);
          expect(mirror).toEqual(compile({ sources, environment, stored: [...stored.values()] }).artifact);
        },
      ),
      { numRuns: 60 },
    );
  });
});
