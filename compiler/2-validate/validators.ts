import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv";
import { sha256 } from "../../runtime/abi/hash.js";
import { isBuiltIn, schemaFile } from "../../schema/schemas.js";
import { ajvOutline, ajvValidator } from "./ajv.js";

/** Written by `build.mjs`: `route.js` of `route.json`. */
export const BUILT_FOLDER = fileURLToPath(new URL("./built/", import.meta.url));
export const OUTLINE = "outline.json";

/** Tests import the sources, which have no built validators: ajv compiles them with the same options. */
const FROM_SOURCES = import.meta.url.endsWith(".ts");

const loaded = new Map<string, ValidateFunction>();

/**
 * Returns a module made by `build.mjs`, or a validator that ajv compiles for a package; loaded at the first
 * use.
 * @param file "route.json", "plugins/syslog.json"
 * @throws Error if the file does not exist, or its module is missing or stale
 */
export function validator(file: string): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn(file) ? ajvValidator(file) : built(file);
}

export function outlineValidator(): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn("configuration.json") ? ajvOutline() : built(OUTLINE);
}

function built(file: string): ValidateFunction {
  let found = loaded.get(file);
  if (found === undefined) loaded.set(file, (found = builtValidator(file)));
  return found;
}

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
