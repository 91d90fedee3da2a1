import { certificates } from "../certificates/table.js";
import type { PluginDefinition } from "../plugin/definition.js";
import { findPlugin, pluginsWithKinds } from "../plugin/registry.js";

/** Its resources are planned together in one table: a plugin with kinds, or certificates. */
export type TableOwner = Pick<PluginDefinition, "name" | "kinds" | "table">;

export function tableOwners(): readonly TableOwner[] {
  return [...pluginsWithKinds(), certificates].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function tableOwner(name: string): TableOwner | undefined {
  return name === certificates.name ? certificates : findPlugin(name);
}
