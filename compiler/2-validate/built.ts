import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv";
import { sha256 } from "../../runtime/abi/hash.js";
import { schemaFile } from "../../schema/schemas.js";

/** Written by `build.mjs`: `route.js` of `route.json`. */
export const BUILT_FOLDER = fileURLToPath(new URL("./built/", import.meta.url));
export const OUTLINE = "outline.json";

interface BuiltModule {
  default: ValidateFunction;
  files: readonly string[];
  hash: string;
}

export const builtPath = (file: string): string => `${BUILT_FOLDER}${file.replace(/\.json$/, ".js")}`;

/** Includes fields that plugins have added until now. */
export const schemaHash = (files: readonly string[]): string =>
  sha256(JSON.stringify(files.map((file) => schemaFile(file).node)));

/**
 * Uses `require`, since validation is synchronous: Node 20.19 can load ES modules by it.
 * @throws Error if the module is missing or was compiled from other schemas; falling back to ajv would hide
 * both for good
 */
export function builtValidator(file: string): ValidateFunction {
  const path = builtPath(file);
  if (!existsSync(path))
    throw new Error(`this gwc is incomplete: ${path} is missing (npm run build writes it)`);
  const module = createRequire(import.meta.url)(path) as BuiltModule;
  if (schemaHash(module.files) !== module.hash)
    throw new Error(
      `${path} was compiled from other schemas than those of this gwc (npm run build writes it)`,
    );
  return module.default;
}
