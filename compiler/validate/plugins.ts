import { pluginSchemaFile } from "../../schema/schemas.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { nearest } from "../diagnostics/nearest.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Located } from "../parse/source.js";
import { pluginErrorPrefix } from "../resolve/admin-text.js";
import { below, check } from "./check.js";
import { isObject } from "./explain.js";

const META = "parts/plugin-meta.json";

/** Checks each plugin's settings against its schema; `located` is the object of plugin names to settings. */
export function validatePlugins(
  located: Located<Record<string, unknown>>,
  use: "route" | "consumer",
  plugins: readonly string[],
): Diagnostic[] {
  return Object.entries(located.value).flatMap(([name, settings]) => {
    const file = plugins.includes(name) ? pluginSchemaFile(name, use) : undefined;
    if (file === undefined) return [unknownPlugin(name, located, plugins)];
    const errorPrefix = pluginErrorPrefix(name);
    if (use === "consumer" && !isCredential(name) && !isDisabled(settings)) {
      const found = diagnostic("GW2113", located.spans.key([name]), { name });
      return [{ ...found, errorMessage: errorPrefix + found.message }];
    }
    // A disabled plugin may be unfinished: only its _meta is checked.
    const path = isDisabled(settings) ? [name, "_meta"] : [name];
    return isDisabled(settings)
      ? check(META, { located: below(located, path), root: `"_meta"`, errorPrefix })
      : check(file, { located: below(located, path), root: `plugin "${name}"`, errorPrefix });
  });
}

export function unknownPlugin(name: string, located: Located, plugins: readonly string[]): Diagnostic {
  const near = nearest(name, plugins);
  const help =
    near === undefined ? `known plugins: ${[...plugins].sort().join(", ")}` : `did you mean "${near}"?`;
  const finding = diagnostic("GW2114", located.spans.key([name]), { name }, { help });
  return { ...finding, errorMessage: `unknown plugin [${name}]` };
}

/** A plugin that authenticates has a schema of its own for what consumers hold. */
function isCredential(name: string): boolean {
  return pluginSchemaFile(name, "consumer") !== pluginSchemaFile(name, "route");
}

function isDisabled(settings: unknown): boolean {
  return isObject(settings) && isObject(settings["_meta"]) && settings["_meta"]["disable"] === true;
}
