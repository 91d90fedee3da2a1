/**
 * `gwc/plugin`: the interface for authors of plugin packages. All of it is pure: a plan consists of plain
 * data, and code comes only from printers.
 */

export type { Exchange, Headers, ReadonlyHeaders } from "../runtime/abi/exchange.js";
/** Plain data as JSON with sorted keys: equal data gives equal text. For keys of shared resources. */
export { canonicalJson } from "../runtime/abi/hash.js";
export type { Metrics } from "../runtime/abi/metrics.js";
export type { PluginRuntime } from "../runtime/abi/plugin-runtime.js";
export type { OpenResource, ResourceContext, SharedResource } from "../runtime/abi/resource.js";
/** UTF-8 bytes of a text, one character per byte: the form of every text on the data path. */
export { utf8 as byteString } from "../runtime/abi/text/bytes.js";
/** Version of the interface between generated modules and the runtime; `abi` of a plugin must include it. */
export { ABI } from "../runtime/abi/version.js";
/**
 * Plans a list of the expression language (`vars`, `_meta.filter`) as a condition, and reports its
 * diagnostics.
 */
export { planCondition } from "./4-plan/condition.js";
/**
 * Checks names and values of headers as the built-in plugins do, and orders the header actions: add, remove,
 * set.
 */
export { type HeaderInput, planHeaderActions } from "./4-plan/header-actions.js";
/** Most similar known name for a mistyped one, for a help text. */
export { nearest } from "./diagnostics/nearest.js";
/** Creates a diagnostic with the wording of gwc's catalogue, or of `diagnostics` of the definition. */
export { diagnostic } from "./diagnostics/report.js";
export type { Catalogue, CatalogueEntry, Diagnostic, Note, Span } from "./model/diagnostic.js";
export type { Condition, ConfigPath, HeaderAction, Regex, StepPhase, Text } from "./model/plan.js";
export type { Json, JsonObject } from "./model/record-plan.js";
export type { Path, Spanned, Spans } from "./model/source.js";
export type {
  Code,
  Decision,
  Guard,
  PlanContext,
  PlannedStep,
  PluginPrinter,
  PluginSettings,
  SecretReference,
  Source,
  Sources,
  TypedStep,
} from "./plugin/definition.js";
export type { Field, Oracle, OracleState } from "./plugin/oracle.js";
export { definePlugin, type PackagedPlugin } from "./plugin/package.js";
export { type PluginDiagnostic, pluginDiagnostic } from "./plugin/plugin-diagnostic.js";
export type { PluginVariable } from "./plugin/variables.js";
/** Words for `describe`: of a condition, of header actions, of a byte string, of a text with variables. */
export { conditionWords, headerWords, quoted, textWords } from "./prose/words.js";
/** Splits a text with `$variables` into its parts. */
export { parseText } from "./variables/text.js";
/** Reports the faults of a text, each at the reference that is wrong. */
export { reportAtReference } from "./variables/text-place.js";
