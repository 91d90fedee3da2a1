/** `gwc/compiler`: the compiler with the plugins that gwc brings along, for programs. */
import "../plugins/index.js";

export * from "../compiler/index.js";
