import { failed, printJson } from "./output.js";
import "../plugins/index.js";
import { readSources } from "../compiler/1-parse/files.js";
import { combinedSchema, schemaComponents } from "../compiler/2-validate/published.js";
import { loadPackages } from "../compiler/packages/load.js";
import { namedPackages } from "../compiler/packages/named.js";
import { presentPaths } from "./paths.js";

export interface SchemaOptions {
  config?: string[];
  openapi?: boolean;
}

/** Prints one self-contained document, with the plugins of the packages that files name. */
export async function schema(kind: string | undefined, options: SchemaOptions): Promise<number> {
  const { config = [], openapi = false } = options;
  if (openapi && kind !== undefined)
    return failed("the OpenAPI document covers all kinds: remove the kind, or --openapi", 2);
  const { sources } = readSources(presentPaths(config));
  await loadPackages(namedPackages(sources, process.env));
  if (openapi) {
    const { adminDocument } = await import("../runtime/control/admin/operations.js");
    printJson(adminDocument(schemaComponents()));
    return 0;
  }
  const combined = combinedSchema() as { definitions?: Record<string, unknown> };
  const { definitions = {} } = combined;
  if (kind !== undefined && !Object.hasOwn(definitions, kind)) {
    const kinds = Object.keys(definitions)
      .filter((name) => !name.includes("."))
      .sort();
    return failed(`unknown kind "${kind}"; known kinds: ${kinds.join(", ")}`, 2);
  }
  printJson(kind === undefined ? combined : { ...(definitions[kind] as object), definitions });
  return 0;
}
