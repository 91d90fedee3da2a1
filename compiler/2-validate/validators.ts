import type { ValidateFunction } from "ajv";
import { isBuiltIn } from "../../schema/schemas.js";
import { ajvOutline, ajvValidator } from "./ajv.js";
import { builtValidator, OUTLINE } from "./built.js";

/**
 * Tests import the TypeScript sources, which have no built validators: ajv compiles them with the same
 * options.
 */
const FROM_SOURCES = import.meta.url.endsWith(".ts");

const loaded = new Map<string, ValidateFunction>();

/**
 * Returns the validator of a schema file by name: "route.json", "plugins/syslog.json". Those of gwc and its
 * plugins are modules made by `build.mjs`. ajv compiles those of packages, and is loaded only then. Each is
 * loaded at its first use.
 * @throws Error if the file does not exist, or its module is missing or stale
 */
export function validator(file: string): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn(file) ? ajvValidator(file) : built(file);
}

/** Returns the validator of a configuration file whose lists of resources and tests are empty. */
export function outlineValidator(): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn("configuration.json") ? ajvOutline() : built(OUTLINE);
}

function built(file: string): ValidateFunction {
  let found = loaded.get(file);
  if (found === undefined) loaded.set(file, (found = builtValidator(file)));
  return found;
}
