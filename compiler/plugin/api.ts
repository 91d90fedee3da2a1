/**
 * `gwc/plugin`: what the author of a plugin's package needs. Everything here is pure; a plan is made of plain data, and code
 * of what the printer gives.
 */

export type { Exchange, Headers, ReadonlyHeaders } from "../../runtime/abi/exchange.js";
/** Plain data as JSON with sorted keys: the same data has the same text. For keys of resources. */
export { canonicalJson } from "../../runtime/abi/hash.js";
export type { Metrics } from "../../runtime/abi/metrics.js";
export type { PluginRuntime } from "../../runtime/abi/plugin-runtime.js";
export type { OpenResource, ResourceContext, SharedResource } from "../../runtime/abi/resource.js";
/** UTF-8 bytes of a text, one character each: the form in which the data path holds every text. */
export { utf8 as byteString } from "../../runtime/abi/text/bytes.js";
/** Number of the interface between generated modules and the runtime: what `abi` of a plugin is compared with. */
export { ABI } from "../../runtime/abi/version.js";
export type { Catalogue, CatalogueEntry, Diagnostic, Note, Span } from "../diagnostics/diagnostic.js";
/** The help that gwc gives for a mistyped name. */
export { nearest } from "../diagnostics/nearest.js";
/** A finding in the words of the catalogue, or of `diagnostics` of the definition. */
export { diagnostic } from "../diagnostics/report.js";
export type { Json, JsonObject } from "../log/plan.js";
export type { Path, Spanned, Spans } from "../parse/source.js";
/** A list of the expression language (`vars`, `_meta.filter`) as a condition, with its findings. */
export { planCondition } from "../plan/condition.js";
/** Checks names and values of headers as the built-in plugins do, and puts the actions in order. */
export { type HeaderInput, planHeaderActions } from "../plan/header-actions.js";
export type { Condition, ConfigPath, HeaderAction, Regex, StepPhase, Text } from "../plan/plan.js";
/** A text with `$variables` cut into its parts. */
export { parseText } from "../plan/text.js";
/** Reports what is wrong in a text at the very reference that is. */
export { reportAtReference } from "../plan/text-place.js";
/** Words for `describe`: a condition, header actions, a text in quotes, a text with variables. */
export { conditionWords, headerWords, quoted, textWords } from "../prose/words.js";
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
} from "./definition.js";
export type { Field, Oracle, OracleState } from "./oracle.js";
export { definePlugin, type PackagedPlugin } from "./package.js";
export { type PluginDiagnostic, pluginDiagnostic } from "./plugin-diagnostic.js";
export type { PluginVariable } from "./variables.js";
