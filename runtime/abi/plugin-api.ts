/** Interface for the runtime code of gwc's own plugins, besides `gwc/runtime` and `logging`. */

export { ambient } from "./ambient.js";
export { builtFile, sourceFile } from "./built-file.js";
/** Settings that a module omits because they equal their defaults, and their completion. */
export { filled, type Sparse } from "./defaults.js";
export type { BatchSettings, LogEntry, Sink } from "./delivery.js";
/** `${{VAR}}` in a text: the names in it, and its value by the environment of the process. */
export { environmentReferences, resolvedText } from "./environment.js";
export { messageOf } from "./error-message.js";
export { errorPage } from "./error-page.js";
export type { BufferOutcome, Exchange, Headers } from "./exchange.js";
/** Hash of plain data, which is equal for equal data: for keys of shared resources. */
export { canonicalHash } from "./hash.js";
export { isObject } from "./json-object.js";
export { LOGGER_DEFAULTS } from "./logger-defaults.gen.js";
export type { Counter, Gauge, Histogram, Labels, MetricFamily, Metrics } from "./metrics.js";
export type { PluginRuntime } from "./plugin-runtime.js";
export type { OpenResource, ResourceContext, SharedResource } from "./resource.js";
export { addressBytes, addresses, addressList, addressOf, networkOf } from "./text/addresses.js";
export { percentEncode, utf8 } from "./text/bytes.js";
export { trimBlanks } from "./text/field.js";
export { recordText } from "./text/record-text.js";
export { escapedPathText, escapedQueryText, rawText } from "./text/target.js";
export { VERSION } from "./version.js";
