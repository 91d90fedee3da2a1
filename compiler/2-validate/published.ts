import {
  pluginMetadataFile,
  pluginSchemaFile,
  referred,
  type SchemaNode,
  schemaFile,
  schemaFiles,
} from "../../schema/schemas.js";
import { kinds, singular } from "../model/resource.js";
import "../plugin/registry.js";

interface CombinedForm {
  /** @param name "route", "parts.id", "plugins.key-auth" */
  reference(name: string): string;
  /** Adapts a copied node last. @param source the node in its file, with gwc's annotations */
  finish?(copy: SchemaNode, source: SchemaNode): SchemaNode;
}

/**
 * Schema for editors: every file under `definitions`, plugins by name, internal references only. Keys are in
 * a fixed order, so that the same version gives the same bytes.
 */
export function combinedSchema(form: Pick<CombinedForm, "finish"> = {}): object {
  const definitions = combinedDefinitions({ ...form, reference: (name) => `#/definitions/${name}` });
  const { [nameOf("configuration.json")]: root, ...rest } = definitions;
  return { $schema: "http://json-schema.org/draft-07/schema#", ...root, definitions: rest };
}

/** Every file, and the schemas under its `definitions`, by name. */
function combinedDefinitions(form: CombinedForm): Record<string, SchemaNode> {
  const definitions: Record<string, SchemaNode> = {};
  for (const file of schemaFiles()) {
    const {
      $schema: _,
      definitions: own = {},
      ...root
    } = schemaFile(file).node as SchemaNode & { $schema: string };
    definitions[nameOf(file)] = embedded(root, file, form);
    for (const [name, node] of Object.entries(own))
      definitions[`${nameOf(file)}.${name}`] = embedded(node, file, form);
  }
  return definitions;
}

/** "plugins/key-auth.json" becomes "plugins.key-auth". */
function nameOf(file: string): string {
  return file.replace(/\.json$/, "").replaceAll("/", ".");
}

function embedded(node: SchemaNode, file: string, form: CombinedForm): SchemaNode {
  const copy = mapNodes(node, (child) => embedded(child, file, form));
  if (copy.$ref !== undefined) {
    const [path = "", fragment = ""] = copy.$ref.split("#");
    const target = path === "" ? file : referred(path, file);
    const inside = fragment.split("/").at(-1);
    copy.$ref = form.reference(`${nameOf(target)}${inside ? `.${inside}` : ""}`);
  }
  if (copy["x-plugins"] !== undefined) {
    copy.properties = pluginProperties(copy["x-plugins"], form);
    copy.additionalProperties = false;
  }
  for (const key of Object.keys(copy))
    if (key.startsWith("x-") || key === "format") delete (copy as Record<string, unknown>)[key];
  return form.finish?.(copy, node) ?? copy;
}

function pluginProperties(use: "route" | "consumer", form: CombinedForm): Record<string, SchemaNode> {
  const names = schemaFiles()
    .map((file) => /^plugins\/([a-z0-9-]+)\.json$/.exec(file)?.[1])
    .filter((name) => name !== undefined)
    .filter((name) => use === "route" || pluginSchemaFile(name, use) !== pluginSchemaFile(name, "route"));
  return Object.fromEntries(
    names.map((name) => [name, { $ref: form.reference(nameOf(pluginSchemaFile(name, use) ?? "")) }]),
  );
}

function mapNodes(node: SchemaNode, change: (child: SchemaNode) => SchemaNode): SchemaNode {
  const copy: SchemaNode = { ...node };
  for (const key of ["items", "propertyNames", "not", "if", "then"] as const)
    if (copy[key] !== undefined) copy[key] = change(copy[key]);
  if (typeof copy.additionalProperties === "object")
    copy.additionalProperties = change(copy.additionalProperties);
  for (const key of ["allOf", "anyOf", "oneOf"] as const)
    if (copy[key] !== undefined) copy[key] = copy[key].map(change);
  for (const key of ["properties", "dependencies"] as const)
    if (copy[key] !== undefined)
      copy[key] = Object.fromEntries(Object.entries(copy[key]).map(([name, child]) => [name, change(child)]));
  return copy;
}

/** Mask that responses hold instead of a secret, and that a write may send back. */
const MASK = "^\\*{3}[0-9a-f]{8}$";

/**
 * Returns all files as JSON Schema 2020-12, by name ("route", "parts.id", "plugins.key-auth"). They refer to
 * each other as components of an OpenAPI 3.1 document do.
 */
export function schemaComponents(): Record<string, object> {
  return combinedDefinitions({ reference: (name) => `#/components/schemas/${name}`, finish });
}

function finish(copy: SchemaNode, source: SchemaNode): SchemaNode {
  const { dependencies, ...node } = copy;
  // 2020-12 has no such keyword of draft-07.
  const renamed = dependencies === undefined ? copy : { ...node, dependentSchemas: dependencies };
  if (source["x-secret"] !== true || renamed.pattern === undefined) return renamed;
  const { description, ...secret } = renamed;
  const mask = { description: "Mask that answers hold in its place.", type: "string", pattern: MASK };
  return { ...(description !== undefined && { description }), anyOf: [secret, mask] };
}

/** @param kind "route", "captcha_site_key" @returns undefined for another word */
export function kindSchema(kind: string): object | undefined {
  return kinds().some((known) => singular(known) === kind)
    ? definition(kind.replaceAll("_", "-"))
    : undefined;
}

/** @param type settings in consumers or plugin_metadata. Default: settings of the plugin */
export function pluginSchema(plugin: string, type?: "consumer" | "metadata"): object | undefined {
  if (!/^[a-z0-9-]+$/.test(plugin)) return undefined;
  const file = type === "metadata" ? pluginMetadataFile(plugin) : pluginSchemaFile(plugin, type ?? "route");
  return file === undefined ? undefined : definition(file.replace(/\.json$/, "").replaceAll("/", "."));
}

function definition(name: string): object | undefined {
  const { definitions: all } = combinedSchema({ finish: withFormWords }) as {
    definitions: Record<string, object>;
  };
  const root = all[name];
  if (root === undefined) return undefined;
  const definitions: Record<string, object> = {};
  const include = (node: object): void => {
    for (const found of JSON.stringify(node).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)) {
      const [, target = ""] = found;
      const next = all[target];
      if (next === undefined || target in definitions) continue;
      definitions[target] = next;
      include(next);
    }
  };
  include(root);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...root,
    ...(Object.keys(definitions).length > 0 && { definitions }),
  };
}

/** For making forms, in addition to the words of JSON Schema. */
const FOR_FORMS = ["x-refers", "x-regex", "x-keywords", "x-secret"] as const;

const withFormWords = (copy: SchemaNode, source: SchemaNode): SchemaNode =>
  Object.assign(
    copy,
    Object.fromEntries(FOR_FORMS.flatMap((word) => (word in source ? [[word, source[word]]] : []))),
  );
