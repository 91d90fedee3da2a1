import type { OpenSink } from "./log/contract.js";

/** What a plugin does at run time. */
export interface PluginRuntime {
  /** What generated code takes from `gwc/plugins/<name>`: the names that the definition gives as `calls`. */
  readonly calls: object;
  /** Opens destinations whose kind is the name of the plugin. */
  readonly openSink?: OpenSink;
}
