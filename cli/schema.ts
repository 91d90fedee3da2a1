import "../plugins/index.js";
import { loadPackages } from "../compiler/packages/load.js";
import { namedPackages } from "../compiler/packages/named.js";
import { readSources } from "../compiler/parse/files.js";
import { combinedSchema } from "../compiler/validate/combined.js";
import { presentPaths } from "./paths.js";

/** `gwc schema [kind]`: one self-contained JSON Schema on standard output, with the plugins of the packages that files name. */
export async function schema(kind: string | undefined, options: { config?: string[] } = {}): Promise<number> {
  const { sources } = readSources(presentPaths(options.config ?? []));
  await loadPackages(namedPackages(sources, process.env));
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
