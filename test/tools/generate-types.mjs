// Writes schema/types.gen.ts from schema/*.json; with --print it prints the text instead.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const directory = fileURLToPath(new URL("../../schema/", import.meta.url));
const banner = "// Generated from schema/*.json by `npm run types`. Change the schemas, not this file.\n";

// Text beside a $ref would make the generator repeat the type under another name.
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref };
  if ([node.type].flat().includes("object") && !node.properties && !node.additionalProperties)
    return bare({ ...node, additionalProperties: true });
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !["if", "then", "not", "dependencies", "examples", "default"].includes(key))
      .map(([key, value]) => [key, key === "allOf" || isChoiceOfFields(key, value) ? undefined : bare(value)])
      .filter(([, value]) => value !== undefined),
  );
}

// "One of these fields" would become an intersection that says nothing.
function isChoiceOfFields(key, value) {
  return key === "oneOf" && value.every((branch) => Object.keys(branch).join() === "required");
}

function read(file) {
  return bare(JSON.parse(readFileSync(join(directory, file), "utf8")));
}

const plugins = readdirSync(join(directory, "plugins"))
  .filter((name) => name.endsWith(".json"))
  .sort();

const root = {
  title: "SchemaTypes",
  description:
    "The root of each schema: the configuration file, and the settings of each plugin by file stem.",
  type: "object",
  properties: {
    configuration: { $ref: "schema:/configuration.json" },
    ...Object.fromEntries(
      plugins.map((name) => [basename(name, ".json"), { $ref: `schema:/plugins/${name}` }]),
    ),
  },
  required: ["configuration", ...plugins.map((name) => basename(name, ".json"))],
  additionalProperties: false,
};

// `properties` named "default" or "if" would be lost above; no schema has such a field.
const files = {
  order: 1,
  canRead: /^schema:/,
  read: (file) => JSON.stringify(read(new URL(file.url).pathname.slice(1))),
};

const text = await compile(root, "SchemaTypes", {
  bannerComment: banner,
  cwd: "schema:/",
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  strictIndexSignatures: false,
  $refOptions: { resolve: { schema: files, file: false, http: false } },
  style: { printWidth: 110 },
});

if (process.argv.includes("--print")) process.stdout.write(text);
else writeFileSync(join(directory, "types.gen.ts"), text);
