import { createRequire } from "node:module";
import type { Ajv, CodeKeywordDefinition, CodeOptions, ValidateFunction } from "ajv";
import { SCHEMA_BASE, type SchemaNode, schemaFile, schemaFiles } from "../../schema/schemas.js";
import { kinds } from "../model/resource.js";
import { equalItems, formats } from "./keyword-functions.js";
import "../plugin/registry.js";
import { messageOf } from "../../runtime/abi/error-message.js";

const ANNOTATIONS = [
  "x-runtime",
  "x-secret",
  "x-credential",
  "x-plugins",
  "x-pattern-description",
  "x-help",
  "x-field-hints",
  "x-ignored-with",
  "x-pattern-help",
  "x-when",
  "x-refers",
  "x-regex",
  "x-keywords",
  "x-error-text",
  "x-error-rule",
  "x-error-pattern",
];

let library: typeof import("ajv") | undefined;
let shared: { ajv: Ajv; configuration: SchemaNode; outline?: ValidateFunction } | undefined;

/** @param file schema file, or a definition in it ("deployment.json#/definitions/gw"); compiled at its first use */
export function ajvValidator(file: string): ValidateFunction {
  let { ajv, configuration } = current();
  // A plugin registered since the first use may have only added files.
  if (!ajv.getSchema(`${SCHEMA_BASE}${file}`) && schemaFiles().includes(file.replace(/#.*/, ""))) {
    ajv = createAjv();
    shared = { ajv, configuration };
  }
  const found = ajv.getSchema(`${SCHEMA_BASE}${file}`);
  if (found === undefined) throw new Error(`schema/${file} does not exist`);
  return found;
}

export function ajvOutline(): ValidateFunction {
  const from = current();
  from.outline ??= from.ajv.compile(outlineSchema());
  return from.outline;
}

/** Leaves out the items of resources and tests, which take as long to compile as all else of a small file. */
export function outlineSchema(): SchemaNode & { $id: string } {
  const { node } = schemaFile("configuration.json");
  const lists: string[] = [...kinds(), "tests"];
  const properties = Object.entries(node.properties ?? {}).map(([name, child]) => [
    name,
    lists.includes(name) ? { type: "array" } : child,
  ]);
  return { ...node, $id: `${SCHEMA_BASE}outline.json`, properties: Object.fromEntries(properties) };
}

function current() {
  const configuration = schemaFile("configuration.json").node;
  // A plugin registered since the first use may have extended existing schemas.
  if (shared?.configuration !== configuration) shared = { ajv: createAjv(), configuration };
  return shared;
}

/** @returns the reason why a schema, which may refer to those here, is invalid; undefined if it is valid */
export function schemaFault(node: SchemaNode): string | undefined {
  const ajv = createAjv();
  try {
    if (ajv.validateSchema(node) !== true) return ajv.errorsText(ajv.errors, { dataVar: "#" });
    ajv.compile(node);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * Knows all schemas, formats and keywords. Only this function sets ajv's options, for validators compiled at
 * run time and by `build.mjs`. The first call loads ajv.
 *
 * Strict: an unknown word, or a keyword that cannot apply, is an error in the schema, found by its first use.
 * Only `required` may be in an alternative without `properties`, as in "one of uri or uris".
 * @param code form of the generated code, without effect on results. Default: not optimized, which would take
 * two thirds of the time to compile a schema, for checks that are no faster
 */
export function createAjv(code: CodeOptions = { optimize: false }): Ajv {
  library ??= createRequire(import.meta.url)("ajv") as typeof import("ajv");
  const ajv = new library.Ajv({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    validateSchema: false,
    logger: false,
    code,
  });
  ajv.addVocabulary(ANNOTATIONS);
  ajv.removeKeyword("uniqueItems").addKeyword(uniqueItems(library));
  for (const [name, format] of Object.entries(formats())) ajv.addFormat(name, format);
  for (const file of schemaFiles()) ajv.addSchema(schemaFile(file).node, `${SCHEMA_BASE}${file}`);
  return ajv;
}

/** Calls `equalItems` by its name: a module cannot contain a keyword's function. */
const uniqueItems = ({ _ }: typeof import("ajv")): CodeKeywordDefinition => ({
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  code(context) {
    if (context.schema !== true) return;
    const search = context.gen.scopeValue("func", { ref: equalItems, code: _`equalItems` });
    context.pass(_`${search}(${context.data}) === undefined`);
  },
});
