import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { MAX_ASSET_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import { SCHEMA_BASE, SCHEMA_DIRECTORY, type SchemaNode, schemaFile } from "../../schema/schemas.js";
import { schemaFault } from "../2-validate/ajv.js";
import { KEYWORDS } from "../2-validate/schema-faults.js";
import { lineOfAwait, templateViolations } from "../5-emit/template-rules.js";
import type { PackagedPlugin } from "../plugin/package.js";
import { isPhase } from "./contract.js";
import { broken } from "./locate.js";
import { PackageError, reasonOf } from "./package-error.js";

/** Annotations of gwc (`SchemaNode`) that packages may use. */
const ANNOTATIONS: ReadonlySet<string> = new Set(
  "x-runtime x-secret x-credential x-pattern-description x-when x-refers x-regex x-keywords x-error-text x-error-rule x-error-pattern".split(
    " ",
  ),
);
const ONE = ["items", "propertyNames", "additionalProperties", "not", "if", "then"];
/** Keywords with lists and maps of schemas. */
const SEVERAL = ["allOf", "anyOf", "oneOf", "properties", "dependencies", "definitions"];

/** Maximum lines: a longer template contains logic. */
const TEMPLATE_LINES = 25;

/** Checks the files that the compiler reads. @throws PackageError */
export function checkAssets(
  root: string,
  name: string,
  { phases, template, asyncAccess = false }: PackagedPlugin,
): void {
  if (!existsSync(join(root, "schema.json"))) throw broken(name, "schema.json is missing");
  for (const file of ["schema.json", "consumer.json", "metadata.json"])
    if (existsSync(join(root, file))) checkSchema(root, file, name);
  for (const phase of phases)
    if (template === undefined && !existsSync(join(root, `${phase}.hbs`)))
      throw broken(name, `the template ${phase}.hbs is missing`);
  for (const file of readdirSync(root).filter((each) => each.endsWith(".hbs")))
    checkTemplate(root, file, name, asyncAccess);
}

function checkSchema(root: string, file: string, name: string): void {
  const refuse = (reason: string) => new PackageError("GW7007", { package: name, file, reason });
  let schema: SchemaNode;
  try {
    schema = JSON.parse(readRegularText(join(root, file), MAX_ASSET_BYTES)) as SchemaNode;
  } catch (error) {
    throw refuse(reasonOf(error));
  }
  const fault = faultIn(schema, "#", schema) ?? schemaFault(schema);
  if (fault !== undefined) throw refuse(fault);
}

function faultIn(node: unknown, at: string, root: SchemaNode): string | undefined {
  if (typeof node !== "object" || node === null || Array.isArray(node)) return `${at} is no schema`;
  const members = node as Record<string, unknown>;
  const word = Object.keys(members).find((key) => !KEYWORDS.has(key) && !ANNOTATIONS.has(key));
  if (word !== undefined) return `${at}/${word} is not a keyword that gwc supports`;
  if (typeof members["$ref"] === "string" && !isReachable(members["$ref"], root))
    return `${at}/$ref names neither a definition of this schema nor a shared part with such a definition: "${members["$ref"]}"`;
  const needs = listOfNames(members["dependencies"]);
  if (needs !== undefined)
    return `${at}/dependencies/${needs[0]}: the list form of "dependencies" is not supported; write ${JSON.stringify({ [needs[0]]: { required: needs[1] } })}`;
  const isSchema = (key: string) => members[key] !== undefined && typeof members[key] !== "boolean";
  const children: [string, unknown][] = [
    ...ONE.filter(isSchema).map((key): [string, unknown] => [key, members[key]]),
    ...SEVERAL.flatMap((key) =>
      Object.entries((members[key] as object | undefined) ?? {}).map(([at, child]): [string, unknown] => [
        `${key}/${at}`,
        child,
      ]),
    ),
  ];
  return children
    .map(([path, child]) => faultIn(child, `${at}/${path}`, root))
    .find((fault) => fault !== undefined);
}

/** First member of `dependencies` in its list form, which has no words in diagnostics. */
function listOfNames(dependencies: unknown): [string, unknown[]] | undefined {
  if (typeof dependencies !== "object" || dependencies === null) return undefined;
  return Object.entries(dependencies).find((one): one is [string, unknown[]] => Array.isArray(one[1]));
}

/** Accepts stable references: a definition of the same file, or a part that gwc shares. */
function isReachable(reference: string, { definitions = {} }: SchemaNode): boolean {
  const own = /^#\/definitions\/([^/]+)$/.exec(reference)?.[1];
  if (own !== undefined) return Object.hasOwn(definitions, own);
  if (!reference.startsWith(SCHEMA_BASE)) return false;
  const [, part = "", member] =
    /^(parts\/[a-z-]+\.json)(?:#\/definitions\/([^/]+))?$/.exec(reference.slice(SCHEMA_BASE.length)) ?? [];
  if (part === "" || !existsSync(join(SCHEMA_DIRECTORY, part))) return false;
  return member === undefined || Object.hasOwn(schemaFile(part).node.definitions ?? {}, member);
}

function checkTemplate(root: string, file: string, name: string, asyncAccess: boolean): void {
  const refuse = (reason: string) => new PackageError("GW7008", { package: name, file, reason });
  let source: string;
  let offence: string | undefined;
  try {
    source = readRegularText(join(root, file), MAX_ASSET_BYTES);
    [offence] = templateViolations(source);
  } catch (error) {
    throw refuse(reasonOf(error));
  }
  if (offence !== undefined) throw refuse(offence);
  const awaits = lineOfAwait(source);
  const mayWait = asyncAccess && (file === "access.hbs" || !isPhase(file.slice(0, -".hbs".length)));
  if (awaits !== undefined && !mayWait)
    throw refuse(
      file === "access.hbs"
        ? `line ${awaits}: it awaits, and the definition does not set "asyncAccess: true"`
        : `line ${awaits}: it awaits, which only the access phase may do, with "asyncAccess: true"`,
    );
  if (source.trimEnd().split("\n").length > TEMPLATE_LINES)
    throw refuse(`it has more than ${TEMPLATE_LINES} lines`);
}
