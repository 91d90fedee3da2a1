import { certificates } from "../certificates/table.js";
import type { PluginDefinition } from "../plugin/definition.js";
import { findPlugin, pluginsWithKinds } from "../plugin/registry.js";

/** Whose resources are planned together in a table of their own: those of plugins with kinds, and certificates. */
export type TableOwner = Pick<PluginDefinition, "name" | "kinds" | "table">;

/** By name. */
export function tableOwners(): readonly TableOwner[] {
  return [...pluginsWithKinds(), certificates].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function tableOwner(name: string): TableOwner | undefined {
  return name === certificates.name ? certificates : findPlugin(name);
}
