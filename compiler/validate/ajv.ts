import { Ajv, type ValidateFunction } from "ajv";
import { SCHEMA_BASE, type SchemaNode, schemaFile, schemaFiles } from "../../schema/schemas.js";
import { textFormats } from "./formats.js";
import { equalItems } from "./json-values.js";
import "../plugin/registry.js";
import { messageOf } from "../../runtime/abi/error-message.js";

const ANNOTATIONS = [
  "x-runtime",
  "x-secret",
  "x-credential",
  "x-plugins",
  "x-says",
  "x-help",
  "x-instead",
  "x-idle-beside",
  "x-pattern-help",
  "x-when",
  "x-refers",
  "x-regex",
  "x-keywords",
  "x-error-text",
  "x-error-rule",
  "x-error-pattern",
];

let shared: { ajv: Ajv; configuration: SchemaNode; outline?: ValidateFunction } | undefined;

/** Validator of one file of schema/, or of a definition in it ("deployment.json#/definitions/gw"); compiled at first use. */
export function validator(file: string): ValidateFunction {
  let { ajv, configuration } = current();
  // A plugin that came since the first use may have files alone.
  if (!ajv.getSchema(`${SCHEMA_BASE}${file}`) && schemaFiles().includes(file.replace(/#.*/, ""))) {
    ajv = createAjv();
    shared = { ajv, configuration };
  }
  const found = ajv.getSchema(`${SCHEMA_BASE}${file}`);
  if (found === undefined) throw new Error(`schema/${file} does not exist`);
  return found;
}

/**
 * Validator of a configuration file whose lists of resources are empty. What their items are is not compiled for it: that takes as
 * long as all else of a small file.
 * @param lists names of these lists
 */
export function outlineValidator(lists: readonly string[]): ValidateFunction {
  const from = current();
  from.outline ??= from.ajv.compile({
    ...from.configuration,
    $id: `${SCHEMA_BASE}outline.json`,
    properties: Object.fromEntries(
      Object.entries(from.configuration.properties ?? {}).map(([name, node]) => [
        name,
        lists.includes(name) ? { type: "array" } : node,
      ]),
    ),
  });
  return from.outline;
}

function current() {
  const configuration = schemaFile("configuration.json").node;
  // A plugin that came since the first use may have added to what is known already.
  if (shared?.configuration !== configuration) shared = { ajv: createAjv(), configuration };
  return shared;
}

/** Why a schema, which may refer to those here, is none; undefined when it is one. */
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
 * Strict: an unknown word or a keyword that cannot apply is an error in the schema, found by its first use. Only
 * `required` may stand in an alternative without `properties`, as "one of uri or uris" is said.
 */
function createAjv(): Ajv {
  const ajv = new Ajv({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    validateSchema: false,
    logger: false,
    // Two thirds of the time that it takes to compile a schema, for checks that are no quicker.
    code: { optimize: false },
  });
  ajv.addVocabulary(ANNOTATIONS);
  ajv.removeKeyword("uniqueItems").addKeyword({
    ...{ keyword: "uniqueItems", type: "array", schemaType: "boolean" },
    validate: (isWanted: boolean, list: readonly unknown[]) => !isWanted || equalItems(list) === undefined,
  });
  for (const [name, format] of textFormats())
    ajv.addFormat(name, { type: "string", validate: (text: string) => format.fault(text) === undefined });
  for (const file of schemaFiles()) ajv.addSchema(schemaFile(file).node, `${SCHEMA_BASE}${file}`);
  return ajv;
}
