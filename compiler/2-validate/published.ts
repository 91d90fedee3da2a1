import type { SchemaNode } from "../../schema/schemas.js";
import { pluginMetadataFile, pluginSchemaFile } from "../../schema/schemas.js";
import { kinds } from "../model/resource.js";
import { combinedSchema } from "./combined.js";
import { schemaOfKind } from "./kinds.js";

/** @param kind "route", "captcha_site_key" @returns undefined for another word */
export function kindSchema(kind: string): object | undefined {
  return kinds().some((known) => schemaOfKind(known).word === kind)
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
