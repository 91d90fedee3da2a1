import type { PluginDefinition } from "./definition.js";

/** Plugin of a package. `schema.json` and the templates are beside the package's `package.json`. */
export interface PackagedPlugin<Settings extends object = object, Data = unknown, Kept = unknown>
  extends Omit<
    PluginDefinition<Settings, Data, Kept>,
    "moduleUrl" | "types" | "package" | "kinds" | "sections" | "table" | "formats" | "pathPatterns"
  > {
  /** Lowest and highest interface version of gwc (`ABI`) that it supports, both included. */
  abi: readonly [number, number];
  /**
   * Path in the package of the ES module that exports `runtime`, a `PluginRuntime` with the functions of
   * `exports`. Required with `exports` or `variables`. gwc bundles it with all imports but modules of Node. A
   * declaration beside it, with the same stem, exports the type of each function by its name.
   */
  runtime?: string;
}

/** A registered symbol, so that plugins from another copy of gwc are recognised. */
export const PLUGIN_MARK = Symbol.for("gwc.plugin");

/**
 * Creates the default export of a plugin's package.
 *
 * ```js
 * export default definePlugin({
 *   name: "hello", abi: [3, 3], priority: 0, phases: ["headerFilter"],
 *   plan: (settings, context) => [{ phase: "headerFilter", origin: context.origin([]), data: null }],
 *   describe: () => ["greets"],
 *   view: (step, printer) => ({ … }),
 * });
 * ```
 */
export function definePlugin<Settings extends object, Data, Kept = undefined>(
  definition: PackagedPlugin<Settings, Data, Kept>,
): PackagedPlugin<Settings, Data, Kept> {
  return Object.freeze({ ...definition, [PLUGIN_MARK]: true });
}
