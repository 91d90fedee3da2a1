/** `gwc/compiler`: the compiler with the plugins of gwc, for programs. */
import "../plugins/index.js";

export { type CompileInput, type CompileResult, compile, type StoredResource } from "../compiler/index.js";
export { loadPackages } from "../compiler/packages/load.js";
export { namedPackages } from "../compiler/packages/named.js";
