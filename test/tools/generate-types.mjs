// Writes schema/types.gen.ts from schema/*.json, and runtime/abi/calls.gen.ts; with --print it prints the first instead.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { runtimeCalls } from "./runtime-calls.mjs";

const directory = fileURLToPath(new URL("../../schema/", import.meta.url));
const banner = "// Generated from schema/*.json by `npm run types`. Change the schemas, not this file.\n";

// A field with a default is there once the settings are validated.
function withFilled(node, file) {
  if (Array.isArray(node)) return node.map((item) => withFilled(item, file));
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withFilled(value, file)]));
  if (typeof node.properties !== "object") return copy;
  const filled = Object.keys(node.properties).filter((name) => hasDefault(node.properties[name], file));
  if (filled.length > 0) copy.required = [...new Set([...(node.required ?? []), ...filled])];
  return copy;
}

function hasDefault(node, file) {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return false;
  if ("default" in node) return true;
  if (typeof node.$ref !== "string") return false;
  const [path, fragment = ""] = node.$ref.split("#");
  const target =
    path === "" ? file : path.startsWith("gwc:/") ? path.slice(5) : posix.join(posix.dirname(file), path);
  const root = JSON.parse(readFileSync(pathOf(target), "utf8"));
  const found = fragment
    .split("/")
    .slice(1)
    .reduce((part, step) => part?.[step], root);
  return hasDefault(found, target);
}

// Text beside a $ref would make the generator repeat the type under another name.
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref.replace(/^gwc:/, "schema:") };
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
  const node = JSON.parse(readFileSync(pathOf(file), "utf8"));
  return bare(withFilled(file === "configuration.json" ? withAdded(node) : node, file));
}

const pluginFolder = fileURLToPath(new URL("../../plugins/", import.meta.url));

// "plugins/key-auth.json" is schema.json, "plugins/key-auth.consumer.json" consumer.json in plugins/key-auth/.
const plugins = readdirSync(pluginFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    ["schema.json", "consumer.json"]
      .filter((file) => existsSync(join(pluginFolder, name, file)))
      .map((file) => (file === "schema.json" ? `${name}.json` : `${name}.${file}`)),
  )
  .sort();

// Fields of a configuration file that plugins add stand in their "configuration.json", and what those refer to beside it.
function inPlugins(file) {
  return readdirSync(pluginFolder)
    .map((name) => join(pluginFolder, name, file))
    .filter(existsSync);
}

function withAdded(node) {
  const added = inPlugins("configuration.json").map(
    (path) => JSON.parse(readFileSync(path, "utf8")).properties,
  );
  const fields = [node.properties, ...added].flatMap(Object.entries);
  const isList = ([, { type }]) => type === "array";
  const ordered = [...fields.filter((field) => !isList(field)), ...fields.filter(isList)];
  return { ...node, properties: Object.fromEntries(ordered) };
}

function pathOf(file) {
  const [, name, kind = "schema"] = /^plugins\/([^.]+)(?:\.([^.]+))?\.json$/.exec(file) ?? [];
  if (name !== undefined) return join(pluginFolder, name, `${kind}.json`);
  const own = join(directory, file);
  return existsSync(own) ? own : inPlugins(file)[0];
}

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
else {
  writeFileSync(join(directory, "types.gen.ts"), text);
  writeFileSync(fileURLToPath(new URL("../../runtime/abi/calls.gen.ts", import.meta.url)), runtimeCalls());
}
