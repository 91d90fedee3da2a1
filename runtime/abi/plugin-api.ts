/** Interface for the runtime code of gwc's own plugins, besides `gwc/runtime` and `logging`. */

export { ambient } from "./ambient.js";
/** Resolves `${{VAR}}` in a text by the environment of the process. */
export { resolvedText } from "./environment.js";
export { messageOf } from "./error-message.js";
export { errorPage } from "./error-page.js";
export type { Exchange } from "./exchange.js";
export type { PluginRuntime } from "./plugin-runtime.js";
export type { ResourceContext } from "./resource.js";
export { percentEncode } from "./text/bytes.js";
export { recordText } from "./text/record-text.js";
export { escapedPathText, escapedQueryText, rawText } from "./text/target.js";
export { VERSION } from "./version.js";
