/**
 * Compiles the schemas of gwc and its plugins into `.build/compiler/2-validate/built/`, an ES module each, with
 * all that it refers to; `validators.ts` loads them. It runs after `tsc`, whose output holds the formats, the
 * options of ajv and the list of plugins.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import "../../.build/plugins/index.js";
import { createAjv, outlineSchema } from "../../.build/compiler/2-validate/ajv.js";
import { BUILT_FOLDER, builtPath, OUTLINE, schemaHash } from "../../.build/compiler/2-validate/validators.js";
import { referred, SCHEMA_BASE, schemaFile, schemaFiles } from "../../.build/schema/schemas.js";

/** Nothing validates a whole configuration file: resources are checked individually, all else by the outline. */
const CONFIGURATION = "configuration.json";
const CODE_POINTS = 'require("ajv/dist/runtime/ucs2length").default';

/** Includes files at any depth. */
function filesWithin(node, file, found = new Set()) {
  if (typeof node !== "object" || node === null) return found;
  if (typeof node.$ref === "string") {
    const [path] = node.$ref.split("#");
    const to = path === "" ? file : referred(path, file);
    if (!found.has(to)) {
      found.add(to);
      filesWithin(schemaFile(to).node, to, found);
    }
  }
  for (const child of Object.values(node)) filesWithin(child, file, found);
  return found;
}

/** Puts these names in, since ajv has no way to import what its code requires (8.20). */
function moduleOf(validate, file, files) {
  const path = builtPath(file);
  const names = relative(dirname(path), `${BUILT_FOLDER}../keyword-functions.js`);
  const code = standalone.default(instance, validate).replaceAll(CODE_POINTS, "codePoints");
  const required = /\brequire\([^)]*\)/.exec(code)?.[0];
  if (required !== undefined) throw new Error(`the validator of ${file} needs ${required}`);
  const head = `import { codePoints, equalItems, formats } from ${JSON.stringify(names)};\n`;
  const from = `export const files = ${JSON.stringify(files)};\nexport const hash = "${schemaHash(files)}";\n`;
  return `${head}${code}\n${from}`;
}

/** A new folder replaces the last one, so that no module of a removed schema stays in it. */
const fresh = `${BUILT_FOLDER.slice(0, -1)}.new/`;
rmSync(fresh, { recursive: true, force: true });

const code = { source: true, esm: true, optimize: true, formats: ajv._`formats()` };
const instance = createAjv(code);
const outline = outlineSchema();
const validators = schemaFiles()
  .filter((file) => file !== CONFIGURATION)
  .map((file) => [file, instance.getSchema(`${SCHEMA_BASE}${file}`), schemaFile(file).node]);
validators.push([OUTLINE, instance.compile(outline), outline]);

for (const [file, validate, node] of validators) {
  const own = file === OUTLINE ? CONFIGURATION : file;
  const files = [...filesWithin(node, own).add(own)].sort();
  const path = builtPath(file).replace(BUILT_FOLDER, fresh);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, moduleOf(validate, file, files));
}
rmSync(BUILT_FOLDER, { recursive: true, force: true });
renameSync(fresh, BUILT_FOLDER);
