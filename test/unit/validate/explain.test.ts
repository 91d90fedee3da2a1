import "../../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectFaults } from "../../../compiler/2-validate/schema-faults.js";
import { validator } from "../../../compiler/2-validate/validators.js";
import { schemaFile } from "../../../schema/schemas.js";

/** Valid values that cover most of each schema; the test changes them at random paths. */
const SAMPLES: Record<string, unknown> = {
  "route.json": {
    id: "a",
    uri: "/a/*",
    hosts: ["*.example.com"],
    remote_addrs: ["10.0.0.0/8", "::1"],
    methods: ["GET"],
    vars: [["OR", ["a", "==", 1], ["b", "in", ["x", null]]]],
    timeout: { connect: 1, send: 1, read: 1 },
    labels: { team: "shop" },
    plugins: { any: {} },
    upstream: { type: "chash", hash_on: "header", key: "x", nodes: [{ host: "a", weight: 1, port: 80 }] },
  },
  "upstream.json": {
    id: 7,
    nodes: { "a:80": 1 },
    pass_host: "rewrite",
    upstream_host: "b:80",
    keepalive_pool: { size: 1 },
    key: "arg_x",
    tls: { verify: false },
  },
  "deployment.json": {
    gw: { node_listen: [9080, { ip: "::", port: 9081 }], workers: 2, limits: { body_timeout: 0.5 } },
    deployment: { admin: { admin_key: [{ name: "a", key: "k", role: "viewer" }], allow_admin: [] } },
  },
  "plugins/response-rewrite.json": {
    status_code: 200,
    body: "YQ==",
    body_base64: true,
    headers: { add: ["A: b:c"], set: { B: 1 }, remove: ["C"] },
    _meta: { filter: [], priority: -1, error_response: { a: 1 } },
  },
  "plugins/proxy-rewrite.json": {
    uri: "/x",
    regex_uri: ["^/a", "/b"],
    host: "a.b:80",
    headers: { add: { A: ["b", 1] }, set: { B: "$x" } },
  },
};

const names = ["id", "uri", "uris", "host", "body", "filters", "add", "set", "_meta", "x y", "__proto__", ""];
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, "", "a b", "/x", "a\nb", 0, -1, 1.5, 70000, [], {}, ["x", "x"], {
    a: 1,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One change: replace, remove or add at a random path. */
const change = fc.record({
  at: fc.array(fc.nat(), { maxLength: 5 }),
  action: fc.constantFrom("replace", "remove", "add"),
  name: fc.constantFrom(...names),
  value: junk,
});

describe("collectFaults", () => {
  it.each(Object.keys(SAMPLES))(
    "collectFaults reports faults in values of %s exactly if ajv rejects the value",
    (file) => {
      expect(validator(file)(SAMPLES[file])).toBe(true);
      fc.assert(
        fc.property(fc.array(change, { minLength: 0, maxLength: 3 }), (changes) => {
          const value = changes.reduce(changed, structuredClone(SAMPLES[file]));
          const valid = validator(file)(value);
          expect(collectFaults(schemaFile(file), value).length === 0, JSON.stringify(value)).toBe(valid);
        }),
        { numRuns: 3_000 },
      );
    },
  );
});

function changed(
  root: unknown,
  { at, action, name, value: drawn }: typeof change extends fc.Arbitrary<infer T> ? T : never,
): unknown {
  const value = structuredClone(drawn);
  let parent: unknown;
  let key: string | number = "";
  let here = root;
  for (const step of at) {
    if (typeof here !== "object" || here === null || Object.keys(here).length === 0) break;
    const keys: string[] = Object.keys(here);
    parent = here;
    key = keys[step % keys.length] ?? "";
    here = (here as Record<string, unknown>)[key];
  }
  if (action === "add" && typeof here === "object" && here !== null) {
    if (Array.isArray(here)) here.push(value);
    else Object.defineProperty(here, name, { value, enumerable: true, configurable: true, writable: true });
  } else if (parent === undefined) return action === "replace" && at.length > 3 ? value : root;
  else if (action === "remove" && !Array.isArray(parent)) delete (parent as Record<string, unknown>)[key];
  else (parent as Record<string, unknown>)[key] = value;
  return root;
}
