import type { ValidateFunction } from "ajv";
import { isBuiltIn } from "../../schema/schemas.js";
import { ajvOutline, ajvValidator } from "./ajv.js";
import { builtValidator, OUTLINE } from "./built.js";

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
