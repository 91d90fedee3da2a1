import "../../plugins/index.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compile } from "../../compiler/index.js";
import type { Kind } from "../../compiler/model/resource.js";
import { newCompilation } from "../support/compilation.js";
import { runs } from "../support/runs.js";

const CONFIGURATION = {
  gw: { node_listen: [{ ip: "127.0.0.1", port: 9080 }], workers: 1 },
  deployment: { admin: { admin_key: [{ name: "a", key: "${{KEY}}", role: "admin" }] } },
  upstreams: [
    { id: "u", type: "chash", hash_on: "header", key: "X-User", nodes: { "10.0.0.1:80": 1 } },
    { id: 2, nodes: [{ host: "[::1]", port: 80, weight: 1 }], timeout: { connect: 1, send: 1, read: 1 } },
  ],
  services: [{ id: "s", upstream_id: "u", plugin_config_id: "p", hosts: ["*.example.com"] }],
  plugin_configs: [
    { id: "p", plugins: { "proxy-rewrite": { headers: { set: { "X-A": "$remote_addr ${arg_x}" } } } } },
  ],
  global_rules: [{ id: "g", plugins: { "response-rewrite": { headers: { add: ["X-B: 1"] } } } }],
  captcha: { url: "https://captcha.example.com" },
  captcha_customers: [{ id: "k" }],
  captcha_site_keys: [
    { id: "site-key-1", customer: "k", hostnames: ["example.com", "::1"], task_types: ["rings", "text"] },
  ],
  captcha_api_keys: [{ id: "apikey01", customer: "k", key: "${{KEY}}", expires: "2027-01-01T00:00:00Z" }],
  consumers: [{ username: "c", plugins: { "key-auth": { key: "k" } } }],
  routes: [
    {
      id: "r",
      uris: ["/a/*", "/b/:x"],
      methods: ["GET"],
      service_id: "s",
      vars: [
        "AND",
        ["arg_a", "~~", "^x"],
        ["OR", ["arg_b", "in", [1, "2"]], ["http_x", "!", "ipmatch", ["10.0.0.0/8"]]],
      ],
      plugins: {
        "key-auth": {},
        "proxy-rewrite": {
          regex_uri: ["^/a/(.*)$", "/$1"],
          _meta: { priority: 5, filter: [["uri", "==", "/"]] },
        },
        "response-rewrite": {
          vars: [["status", "==", 200]],
          filters: [{ regex: "(a)b", replace: "$1", scope: "global", options: "i" }],
        },
      },
    },
    { id: "t", uri: "/t", upstream: { nodes: {} }, status: 0, remote_addrs: ["10.0.0.0/8"], priority: 3 },
  ],
};

type Path = (string | number)[];
function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, part]) => paths(part, [...at, key]))];
}

/** Values that are wrong where others are expected. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    -1,
    1e300,
    true,
    [],
    {},
    [[]],
    "$",
    "${",
    "(",
    "[",
    "*",
    ":",
    "::",
    "/../%00",
    "${{X}}",
    "__proto__",
    { __proto__: 1 },
  ),
  fc.string({ maxLength: 8 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const mutation = fc.record({
  path: fc.constantFrom(...paths(CONFIGURATION).filter((path) => path.length > 0)),
  change: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("set" as const), value: junk }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        key: fc.string({ maxLength: 6 }),
        value: junk,
      }),
    },
  ),
});

function mutated(
  mutations: { path: Path; change: { kind: string; key?: string; value?: unknown } }[],
): unknown {
  const root = structuredClone(CONFIGURATION) as unknown;
  for (const { path, change } of mutations) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((part, step) => (part as Record<string, unknown> | null)?.[step], root);
    if (typeof parent !== "object" || parent === null) continue;
    const step = path.at(-1) as string;
    const fields = parent as Record<string, unknown>;
    if (change.kind === "delete") delete fields[step];
    else if (change.kind === "set") fields[step] = change.value;
    else if (typeof fields[step] === "object" && fields[step] !== null)
      (fields[step] as Record<string, unknown>)[change.key ?? ""] = change.value;
  }
  return root;
}

it("the configuration that the other tests change compiles", () => {
  const text = JSON.stringify(CONFIGURATION);
  const sources = [{ name: "a.json", text, format: "json" as const }];
  const { diagnostics, artifact } = compile({ sources, environment: {} });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(artifact?.modules).toHaveLength(2);
});

it("any configuration yields an artifact or errors with a location, and no exception", () => {
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      const text = JSON.stringify(mutated(mutations));
      const sources = [{ name: "a.json", text, format: "json" as const }];
      const { diagnostics, artifact } = compile({ sources, environment: {} });
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      expect(errors.length > 0).toBe(artifact === undefined);
      for (const error of errors) expect(error.span, error.message).toBeDefined();
    }),
    { numRuns: runs(1_000) },
  );
});

const WRITTEN = [
  ...["upstreams", "plugin_configs", "services", "global_rules", "routes"],
  ...["captcha_customers", "captcha_site_keys", "captcha_api_keys"],
] as Kind[];

it("any write yields a delta or an error message, and no exception", () => {
  const compilation = newCompilation();
  compilation.load({ sources: [], environment: {} });
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const root = mutated(mutations) as Record<string, unknown> | null;
      for (const kind of WRITTEN) {
        const list = root?.[kind];
        for (const value of Array.isArray(list) ? list : [list]) {
          const text = JSON.stringify(value) ?? "";
          const { delta, errorMessage, rollback } = compilation.write([{ put: { kind, id: "x", text } }]);
          expect(delta === undefined).toBe(errorMessage !== "");
          rollback();
        }
      }
    }),
    { numRuns: runs(500) },
  );
});

it("any text yields an artifact or diagnostics, and no exception", () => {
  const piece = fc.constantFrom(
    "routes:",
    "\n",
    "  - ",
    "id: ",
    "uri: /a",
    "{",
    "}",
    "[",
    "]",
    ":",
    "&a",
    "*a",
    "<<",
    "!!x",
    "|",
    ">",
    '"',
    "'",
    "#",
    "\t",
    "- ",
    "? ",
    "---",
    "%YAML",
    "${{A}}",
    "é",
    "\u0000",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }),
      fc.constantFrom("yaml" as const, "json" as const),
      (pieces, format) => {
        const { diagnostics, artifact } = compile({
          sources: [{ name: "a", text: pieces.join(""), format }],
          environment: {},
        });
        expect(artifact !== undefined || diagnostics.length > 0).toBe(true);
      },
    ),
    { numRuns: runs(2_000) },
  );
});
