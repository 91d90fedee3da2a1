import type { ValidateFunction } from "ajv";
import { isBuiltIn } from "../../schema/schemas.js";
import { ajvOutline, ajvValidator } from "./ajv.js";
import { builtValidator, OUTLINE } from "./built.js";

/** Tests import the TypeScript sources, beside which no validators are built: ajv compiles them with the same options. */
const FROM_SOURCES = import.meta.url.endsWith(".ts");

const loaded = new Map<string, ValidateFunction>();

/**
 * Validator of a schema file, by its name: "route.json", "plugins/syslog.json". Those of gwc and its plugins are modules made by
 * `build.mjs`; ajv, which is loaded only then, compiles those of packages. Either is loaded at its first use.
 * @throws Error when the file does not exist, or its module is missing or stale
 */
export function validator(file: string): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn(file) ? ajvValidator(file) : built(file);
}

/** Validator of a configuration file whose lists of resources and tests are empty. */
export function outlineValidator(): ValidateFunction {
  return FROM_SOURCES || !isBuiltIn("configuration.json") ? ajvOutline() : built(OUTLINE);
}

function built(file: string): ValidateFunction {
  let found = loaded.get(file);
  if (found === undefined) loaded.set(file, (found = builtValidator(file)));
  return found;
}
