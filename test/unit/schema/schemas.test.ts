import "../../../plugins/index.js";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { combinedSchema } from "../../../compiler/2-validate/published.js";
import { collectFaults, KEYWORDS } from "../../../compiler/2-validate/schema-faults.js";
import { validator } from "../../../compiler/2-validate/validators.js";
import "../../../compiler/plugin/registry.js";
import {
  mountPlugin,
  SCHEMA_DIRECTORY,
  type SchemaNode,
  schemaFile,
  schemaFiles,
} from "../../../schema/schemas.js";

const nodes = schemaFiles().flatMap((file) => walk(schemaFile(file).node, file));

describe("schema/*.json", () => {
  it.each(schemaFiles())(
    "the schema %s is valid draft-07, compiles in strict mode and has title and description",
    (file) => {
      const { node } = schemaFile(file);
      expect(new Ajv().validateSchema(node)).toBe(true);
      expect(() => validator(file)).not.toThrow();
      expect(node.title).toMatch(/^[A-Z]\w+$/);
      expect(node.description).toMatch(/\.$/);
    },
  );

  it("the schemas use only keywords that diagnostics can explain", () => {
    const used = new Set(nodes.flatMap(({ node }) => Object.keys(node)));
    expect([...used].filter((word) => !word.startsWith("x-") && !KEYWORDS.has(word))).toEqual([]);
  });

  it("the schemas describe every field, for completion in editors", () => {
    const bare = nodes
      .filter(
        ({ at, node }) => /\/properties\/[^/]+$/.test(at) && !/\/(?:if|then)\//.test(at) && !described(node),
      )
      .map(({ at }) => at);
    expect(bare).toEqual([]);
  });

  it("no description of a schema begins with a question word, of or those", () => {
    const asking = nodes
      .filter(({ node }) =>
        /^(?:What|Whether|Where|Who|Whose|Whom|Which|How|Of|Those)\b/.test(node.description ?? ""),
      )
      .map(({ at, node }) => `${at}: ${node.description}`);
    expect(asking).toEqual([]);
  });

  it("the schemas reject unknown fields in every object with named fields, except plugin metadata", () => {
    const open = nodes
      .filter(({ at, node }) => node.properties && !/\/(?:if|then)(?:\/|$)/.test(at))
      .filter(({ node }) => node.additionalProperties === undefined || node.additionalProperties === true)
      .map(({ at }) => at);
    expect(open).toEqual(["plugin-metadata.json"]);
  });

  it("the schemas describe every pattern in words", () => {
    expect(
      nodes.filter(({ node }) => node.pattern && !node["x-pattern-description"]).map(({ at }) => at),
    ).toEqual([]);
  });

  it("the examples and defaults of the schemas are valid", () => {
    for (const { at, node } of nodes) {
      const { examples = [] } = node as { examples?: unknown[] };
      const samples = node.default === undefined ? examples : [...examples, node.default];
      const [file = ""] = at.split(/(?<=\.json)/);
      for (const sample of samples) expect([at, collectFaults({ file, node }, sample)]).toEqual([at, []]);
    }
  });
});

describe("the schema for editors", () => {
  it("the combined schema is self-contained and accepts an example of each kind", () => {
    const check = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
      combinedSchema(),
    );
    const sample = {
      gw: { node_listen: [{ port: 9080 }] },
      routes: [
        { id: 1, uri: "/a", vars: [["OR", ["a", "==", 1], ["b", "in", ["x"]]]], plugins: { "key-auth": {} } },
      ],
      consumers: [{ username: "a", plugins: { "key-auth": { key: "k" } } }],
      upstreams: [{ id: "u", nodes: { "a:80": 1 } }],
      captcha_customers: [{ id: "shop" }],
      captcha_site_keys: [{ id: "sk_shop_login", customer: "shop", hostnames: ["example.com"] }],
      captcha_api_keys: [{ id: "k3y5hp2n", customer: "shop", key: "${{CAPTCHA_API_KEY}}" }],
    };
    expect(check(sample), JSON.stringify(check.errors)).toBe(true);
    expect(
      check({ ...sample, routes: [{ id: 1, uri: "/a", plugins: { "key-auth": { headr: "a" } } }] }),
    ).toBe(false);
  });
});

describe("a plugin's additions to configuration files", () => {
  it.each<[string, SchemaNode, string]>([
    ["routes", { $ref: "own.json" }, "routes"],
    ["captcha", { $ref: "own.json" }, "captcha"],
    ["own", { $ref: "route.json" }, "route.json"],
    ["own", { type: "array", items: { $ref: "captcha-customer.json" } }, "captcha-customer.json"],
  ])("mountPlugin throws for a field or schema that exists already: %s, %j", (field, node, taken) => {
    const folder = mkdtempSync(join(tmpdir(), "gwc-schema-"));
    const before = schemaFiles();
    writeFileSync(join(folder, "schema.json"), "{}");
    writeFileSync(join(folder, "configuration.json"), JSON.stringify({ properties: { [field]: node } }));
    const mount = () => mountPlugin("own", pathToFileURL(join(folder, "index.js")).href);
    expect(mount).toThrow(`plugin own: there is a "${taken}" already`);
    expect(schemaFiles()).toEqual(before);
    rmSync(folder, { recursive: true });
  });

  it("the fields of a plugin are in the configuration, and its section also in the deployment", () => {
    const fieldsOf = (file: string) => Object.keys(schemaFile(file).node.properties ?? {});
    expect(fieldsOf("configuration.json")).toEqual(expect.arrayContaining(["captcha", "captcha_customers"]));
    expect(fieldsOf("deployment.json")).toEqual(["gw", "deployment", "plugin_attr", "captcha"]);
  });
});

describe("schema.gen.ts", () => {
  it("the types of settings of plugins and loggers are generated from their schemas", () => {
    const root = join(SCHEMA_DIRECTORY, "..");
    const script = join(root, "test/tools/generate-types.mjs");
    const printed = JSON.parse(execFileSync(process.execPath, [script, "--print"], { encoding: "utf8" }));
    expect(Object.keys(printed)).toEqual(
      expect.arrayContaining(["compiler/log/schema.gen.ts", "plugins/syslog/schema.gen.ts"]),
    );
    const files = Object.keys(printed).map((path) => [path, readFileSync(join(root, path), "utf8")]);
    expect(Object.fromEntries(files)).toEqual(printed);
  });
});

function described(node: SchemaNode): boolean {
  return node.description !== undefined || node.$ref !== undefined;
}

/** Returns every schema with its path, "route.json/properties/id". */
function walk(node: unknown, at: string): { at: string; node: SchemaNode }[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((child, i) => walk(child, `${at}/${i}`));
  const own = node as SchemaNode;
  const maps = ["properties", "definitions", "dependencies"] as const;
  const single = [
    "items",
    "propertyNames",
    "additionalProperties",
    "not",
    "if",
    "then",
    "allOf",
    "anyOf",
    "oneOf",
  ] as const;
  return [
    ...(Object.keys(own).length > 0 ? [{ at, node: own }] : []),
    ...maps.flatMap((key) =>
      Object.entries(own[key] ?? {}).flatMap(([name, child]) => walk(child, `${at}/${key}/${name}`)),
    ),
    ...single.flatMap((key) => walk(own[key], `${at}/${key}`)),
  ];
}
