import type { PluginDefinition } from "./definition.js";

/**
 * A plugin that comes in a package of its own: what `definePlugin` takes. `schema.json` and the templates stand beside its
 * `package.json`.
 */
export interface PackagedPlugin<Settings extends object = object, Data = unknown, Kept = unknown>
  extends Omit<
    PluginDefinition<Settings, Data, Kept>,
    "at" | "types" | "package" | "kinds" | "sections" | "table" | "formats" | "pathPatterns"
  > {
  /** Lowest and highest number of gwc's interface (`ABI`) that it is made for. */
  abi: readonly [number, number];
  /**
   * The ES module that its `calls` come from, as a path in the package: it exports `runtime` (a `PluginRuntime`). Workers load
   * it as one file with everything that it imports; only the modules of Node stay imports. Its types stand beside it: a
   * declaration with the same stem exports each call by its name.
   */
  runtime?: string;
}

/** A symbol of all realms and copies: a plugin is known by its mark, never by being some object. */
export const PLUGIN_MARK = Symbol.for("gwc.plugin");

/**
 * Makes the default export of a plugin's package.
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
