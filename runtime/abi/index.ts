/** `import { … } from "gwc/runtime"`: generated modules can import nothing else but exports of plugins. */
export type { BodyFilter, Exchange, Headers, ReadonlyHeaders } from "./exchange.js";
export type { PipelineModule } from "./route-module.js";
export { defineGlobalRule, definePluginMetadata, defineRecord, defineRoute } from "./route-module.js";
export { addresses } from "./text/addresses.js";
export { base64, decodeUtf8, encodeUtf8, utf8 } from "./text/bytes.js";
export { matches, oneOf, toNumber } from "./text/compare.js";
export { fieldText, wrappedLines } from "./text/field.js";
export { filter } from "./text/filter.js";
export { headerEdits } from "./text/header-edits.js";
export { linear, re2 } from "./text/linear.js";
export { recordText } from "./text/record-text.js";
export {
  escapedPathText,
  escapedQueryText,
  joinQuery,
  pathText,
  queryText,
  rawText,
  replaceInPath,
  replaceInTarget,
  withoutParameter,
} from "./text/target.js";
