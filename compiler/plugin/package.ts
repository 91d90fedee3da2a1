import type { Diagnostic, Note, Severity, Span } from "../model/diagnostic.js";
import type { PluginDefinition, TypedStep } from "./definition.js";

/** Plugin of a package. `schema.json` and the templates are beside the package's `package.json`. */
export interface PackagedPlugin<Settings extends object = object, Data = unknown, Kept = unknown>
  extends Omit<
    PluginDefinition<Settings, Data, Kept>,
    | "moduleUrl"
    | "types"
    | "package"
    | "kinds"
    | "sections"
    | "table"
    | "formats"
    | "pathPatterns"
    | "defaultMasks"
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

/** Header; name and value are byte strings. */
export type Field = [name: string, value: string];

/** State of one exchange between the steps of a plugin, as `gwc test-plugin` predicts it. */
export interface OracleState {
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly Field[];
    readonly body: string;
  };
  /** As sent, without the headers that the gateway adds. */
  upstream: { method: string; target: string; headers: Field[]; body: string };
  /** Set in a request phase; undefined: the request goes upstream. */
  localReply: { status: number; body: string; headers: Field[] } | undefined;
  /** To the client; undefined in the request phases. */
  response: { status: number; headers: Field[]; body: string } | undefined;
}

/**
 * Applies a step to the state: the export `oracle` of `oracle.js` beside the entry of a package. It shares no
 * code with the template.
 */
export type Oracle<Data = unknown> = (step: TypedStep<Data>, state: OracleState) => void | Promise<void>;

/** Diagnostic of a package's plugin about its settings. */
export interface PluginDiagnostic {
  /** Name of the plugin in capitals, and a number of three digits: "HELLO-001". */
  code: string;
  /** An error makes the configuration invalid. */
  severity: Severity;
  /** One line without a full stop. */
  message: string;
  span: Span;
  help?: string;
  notes?: Note[];
}

/** Creates a diagnostic of a package, for `PlanContext.report`. */
export function pluginDiagnostic({ notes = [], ...finding }: PluginDiagnostic): Diagnostic {
  return { ...finding, notes };
}

export const isPluginCode = (code: unknown, plugin: string): boolean =>
  typeof code === "string" && new RegExp(`^${plugin.toUpperCase()}-\\d{3}$`).test(code);
