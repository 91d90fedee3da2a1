// Writes the types of the settings of plugins (plugins/<name>/schema.gen.ts), those that all loggers have
// (compiler/log/schema.gen.ts) and runtime/abi/calls.gen.ts. With --print it prints the files as JSON, by path.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";
import { runtimeCalls } from "./runtime-calls.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const banner = "// Generated from schemas by `npm run types`. Change those, not this file.\n";

const plugins = readdirSync(join(root, "plugins"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

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
  const found = fragment
    .split("/")
    .slice(1)
    .reduce((part, step) => part?.[step], schemaOf(target));
  return hasDefault(found, target);
}

// Text beside a $ref would make the generator repeat the type under another name.
function bare(node) {
  if (Array.isArray(node)) return node.map(bare);
  if (typeof node !== "object" || node === null) return node;
  if (typeof node.$ref === "string") return { $ref: node.$ref.replace(/^gwc:/, "schema:") };
  if ([node.type].flat().includes("object") && !node.properties && !node.additionalProperties)
    return bare({ ...node, additionalProperties: true });
  const left = [
    "if",
    "then",
    "not",
    "dependencies",
    "examples",
    "default",
    "description",
    "minItems",
    "maxItems",
  ];
  // A title names a type: of a text or a number it would be one more name for `string`.
  if (!isStructured(node)) left.push("title");
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !left.includes(key))
      .map(([key, value]) => [key, key === "allOf" || isChoiceOfFields(key, value) ? undefined : bare(value)])
      .filter(([, value]) => value !== undefined),
  );
}

// "One of these fields" would become an intersection that says nothing.
function isChoiceOfFields(key, value) {
  return key === "oneOf" && value.every((branch) => Object.keys(branch).join() === "required");
}

const isStructured = (node) => "properties" in node || "oneOf" in node || "anyOf" in node || "allOf" in node;

const read = (file) => bare(withFilled(schemaOf(file), file));

/** File of a schema, as a path from the root: those of a plugin refer to each other by their base names. */
function pathOf(file) {
  if (file.startsWith("plugins/")) return join(root, file);
  const own = join(root, "schema", file);
  return existsSync(own) ? own : plugins.map((name) => join(root, "plugins", name, file)).find(existsSync);
}

const schemaOf = (file) => JSON.parse(readFileSync(pathOf(file), "utf8"));

const files = {
  order: 1,
  canRead: /^schema:/,
  read: (file) => JSON.stringify(read(new URL(file.url).pathname.slice(1))),
};

/** Types of one schema and of others that it does not reach. */
function typesOf(schema, others = []) {
  const added = Object.fromEntries(others.map((file) => [file, { $ref: `schema:/${file}` }]));
  return compile({ ...schema, definitions: { ...schema.definitions, ...added } }, "", {
    bannerComment: banner,
    cwd: "schema:/",
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    strictIndexSignatures: false,
    unreachableDefinitions: others.length > 0,
    $refOptions: { resolve: { schema: files, file: false, http: false } },
    style: { printWidth: 110 },
  });
}

/** Schemas of the resources that a plugin adds to a configuration file. */
function resourcesOf(name) {
  if (!existsSync(join(root, "plugins", name, "configuration.json"))) return [];
  const { properties } = schemaOf(`plugins/${name}/configuration.json`);
  return Object.values(properties).flatMap(({ type, items }) => (type === "array" ? [items.$ref] : []));
}

/** Settings of a plugin but `_meta`, which the compiler reads. */
function settingsOf(name) {
  const settings = read(`plugins/${name}/schema.json`);
  return { ...settings, ...fieldsOf(settings, (field) => field !== "_meta") };
}

/** Settings that loggers of two unlike destinations share: they come from `schema/parts`. */
function sharedSettings() {
  const [file, tcp] = [settingsOf("file-logger"), settingsOf("tcp-logger")];
  return { title: "LoggerSettings", type: "object", ...fieldsOf(file, (field) => field in tcp.properties) };
}

const fieldsOf = ({ properties, required = [] }, chosen) => ({
  properties: Object.fromEntries(Object.entries(properties).filter(([field]) => chosen(field))),
  required: required.filter(chosen),
});

/** Types of a plugin's settings and resources; a logger's extend those that all loggers have. */
async function pluginTypes(name) {
  const settings = settingsOf(name);
  if (!Object.keys(shared.properties).every((field) => field in settings.properties))
    return typesOf(settings, resourcesOf(name));
  const own = fieldsOf(settings, (field) => !(field in shared.properties));
  const text = await typesOf({ ...settings, ...own });
  return text
    .replace(banner, `${banner}\nimport type { LoggerSettings } from "../../compiler/logger-api.js";\n`)
    .replace(`interface ${settings.title} `, `interface ${settings.title} extends LoggerSettings `);
}

const shared = sharedSettings();
const written = { "compiler/log/schema.gen.ts": await typesOf(shared) };
for (const name of plugins) written[`plugins/${name}/schema.gen.ts`] = await pluginTypes(name);

if (process.argv.includes("--print")) process.stdout.write(JSON.stringify(written));
else {
  written["runtime/abi/calls.gen.ts"] = runtimeCalls();
  for (const [path, text] of Object.entries(written)) writeFileSync(join(root, path), text);
}
