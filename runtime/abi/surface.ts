/** Modules that generated code may load, and the names it may take from each; `runtime/index.ts` exports exactly these. */
export const SURFACE: Readonly<Record<string, readonly string[]>> = {
  "gwc/runtime": [
    "addresses",
    "base64",
    "decodeUtf8",
    "defineGlobalRule",
    "defineRoute",
    "encodeUtf8",
    "escapedPathText",
    "fieldText",
    "filter",
    "joinQuery",
    "matches",
    "oneOf",
    "pathText",
    "queryText",
    "rawText",
    "replaceInPath",
    "replaceInTarget",
    "toNumber",
    "utf8",
  ],
};
