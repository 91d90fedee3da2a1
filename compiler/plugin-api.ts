/**
 * `gwc/plugin`: the interface for authors of plugin packages. All of it is pure: a plan consists of plain
 * data, and code comes only from printers.
 */

/** Names of the environment variables in a text: `${{VAR}}`. */
export { environmentReferences } from "../runtime/abi/environment.js";
export type { Exchange, Headers, ReadonlyHeaders } from "../runtime/abi/exchange.js";
/** Plain data as JSON with sorted keys: equal data gives equal text. For keys of shared resources. */
export { canonicalJson } from "../runtime/abi/hash.js";
export type { Metrics } from "../runtime/abi/metrics.js";
/** Form of a text in normalized paths, and the fault of a path that no request can have. */
export { inEscapes, PathFault } from "../runtime/abi/path.js";
export type { PluginRuntime } from "../runtime/abi/plugin-runtime.js";
export type { OpenResource, ResourceContext, SharedResource } from "../runtime/abi/resource.js";
/** Reports whether a value of `Content-Encoding` names a coding. */
export { isCoded } from "../runtime/abi/text/body-coding.js";
/** UTF-8 bytes of a text, one character per byte: the form of every text on the data path. */
export { utf8 as byteString } from "../runtime/abi/text/bytes.js";
/** Removes spaces and tabs around the value of a header. */
export { trimBlanks } from "../runtime/abi/text/field.js";
/** Maximum bytes of a body that filters process in the event loop. */
export { MAX_SYNC_BYTES } from "../runtime/abi/text/filter.js";
/** Version of the interface between generated modules and the runtime; `abi` of a plugin must include it. */
export { ABI } from "../runtime/abi/version.js";
/** Reports two consumers with the same key (GW4302). */
export { reportSharedKeys } from "./3-resolve/consumers.js";
/** Plans filters of a response body, for `PluginPrinter.bodyFilter`. */
export { type FilterRule, planBodyFilters } from "./4-plan/body-filters.js";
/**
 * Plans a list of the expression language (`vars`, `_meta.filter`) as a condition, and reports its
 * diagnostics.
 */
export { planCondition } from "./4-plan/condition.js";
/**
 * Reads, checks and orders the header actions of settings as the built-in plugins do.
 */
export {
  type HeaderInput,
  type HeaderInputs,
  type HeaderInputValue,
  planHeaderActions,
  readHeaders,
} from "./4-plan/header-actions.js";
/** Plans a regular expression of the configuration, and its replacement. */
export { planRegex, planReplacement } from "./4-plan/plan-regex.js";
/** Splits a template into path and query, normalizes its path, and finds faults of replacements. */
export { normalizedTemplatePath, replacementFault, splitTarget } from "./4-plan/target.js";
/** Most similar known name for a mistyped one, for a help text. */
export { nearest } from "./diagnostics/nearest.js";
/** Creates a diagnostic with the wording of gwc's catalogue, or of `diagnostics` of the definition. */
export { diagnostic } from "./diagnostics/report.js";
export { configPath } from "./model/config-path.js";
export type { Catalogue, CatalogueEntry, Diagnostic, Note, Span } from "./model/diagnostic.js";
export type {
  Condition,
  ConfigPath,
  HeaderAction,
  Json,
  JsonObject,
  Regex,
  StepPhase,
  TargetTemplate,
  Text,
  TextPart,
} from "./model/plan.js";
export type { ConsumerKey, ResolvedPlugin, RouteGuarantees } from "./model/resolved.js";
export type { Path, Spanned, Spans } from "./model/source.js";
export type { Code } from "./plugin/code.js";
export type { PluginVariable, TextFormats } from "./plugin/contributions.js";
export type {
  BodyFilterRule,
  Decision,
  Guard,
  JoinedPart,
  PlanContext,
  PlannedStep,
  PluginDefinition,
  PluginPrinter,
  PluginSettings,
  SecretReference,
  Source,
  Sources,
  TypedStep,
} from "./plugin/definition.js";
export type { Field, Oracle, OracleState } from "./plugin/package.js";
export {
  definePlugin,
  type PackagedPlugin,
  type PluginDiagnostic,
  pluginDiagnostic,
} from "./plugin/package.js";
/** Words for `describe`: of a body, a condition, header actions, a byte string, a target, a text with variables. */
export { bodyWords, conditionWords, headerWords, quoted, targetWords, textWords } from "./prose/words.js";
/** Finds patterns that match every text of a later one. */
export { type Cover, coversOf } from "./regex/inclusion/covered.js";
/** Way in which a body filter streams, in words. */
export { delayText, type Flow, flowText } from "./regex/streaming.js";
/** Reports a header that no request or response has. */
export { reportAbsentField } from "./variables/absent-fields.js";
/** Texts that patterns are matched against, with their maximum size. */
export { bodySubject, pathSubject } from "./variables/subject.js";
/** Splits a text with `$variables` into its parts. */
/** Reports the faults of a text, each at the reference that is wrong. */
export { parseText, reportAtReference } from "./variables/text.js";
/** Reports whether all variables of a condition have a value at a stage. */
export { isKnown } from "./variables/variable.js";
