import type { PluginDefinition } from "./definition.js";

/** A plugin as lists show it. */
export interface PluginSummary {
  name: string;
  priority: number;
  /** What a request pays, as the plugin's definition says. */
  cost: "waits" | "records" | "inline";
}

/**
 * `waits`: its access phase may wait, for another machine in all that gwc has. `records`: it only looks at what was exchanged, keeps a record
 * and sends it after the response. `inline`: it works in the request's own time. What a plugin's settings make of bodies is a
 * decision about its step, told for each route (`PluginDefinition.decisions`).
 */
export function costOf({
  asyncAccess,
  phases,
}: Pick<PluginDefinition, "asyncAccess" | "phases">): PluginSummary["cost"] {
  if (asyncAccess === true) return "waits";
  return phases.includes("log") ? "records" : "inline";
}
