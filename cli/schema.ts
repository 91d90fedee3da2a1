import "../plugins/index.js";
import { loadPackages } from "../compiler/packages/load.js";
import { namedPackages } from "../compiler/packages/named.js";
import { readSources } from "../compiler/parse/files.js";
import { combinedSchema } from "../compiler/validate/combined.js";
import { schemaComponents } from "../compiler/validate/components.js";
import { presentPaths } from "./paths.js";

export interface SchemaOptions {
  config?: string[];
  /** The OpenAPI document of the admin API instead. */
  openapi?: boolean;
}

/**
 * `gwc schema [kind]`: one self-contained JSON Schema on standard output, or the OpenAPI document, with the plugins of the packages
 * that files name.
 */
export async function schema(kind: string | undefined, options: SchemaOptions = {}): Promise<number> {
  const { config = [], openapi = false } = options;
  if (openapi && kind !== undefined) {
    process.stderr.write(
      "gwc: the OpenAPI document is one for all kinds: leave the kind out, or --openapi\n",
    );
    return 2;
  }
  const { sources } = readSources(presentPaths(config));
  await loadPackages(namedPackages(sources, process.env));
  if (openapi) {
    const { adminDocument } = await import("../runtime/control/admin/operations.js");
    process.stdout.write(`${JSON.stringify(adminDocument(schemaComponents()), null, 2)}\n`);
    return 0;
  }
  const combined = combinedSchema() as { definitions?: Record<string, unknown> };
  if (kind === undefined) {
    process.stdout.write(`${JSON.stringify(combined, null, 2)}\n`);
    return 0;
  }
  const definitions = combined.definitions ?? {};
  const wanted = Object.keys(definitions).find((name) => name === kind);
  if (wanted === undefined) {
    const kinds = Object.keys(definitions)
      .filter((name) => !name.includes("."))
      .sort();
    process.stderr.write(`gwc: there is no schema of "${kind}"; there are ${kinds.join(", ")}\n`);
    return 2;
  }
  const one = { ...(definitions[wanted] as object), definitions };
  process.stdout.write(`${JSON.stringify(one, null, 2)}\n`);
  return 0;
}
