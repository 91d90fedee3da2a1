import type { PluginDefinition } from "./definition.js";

export interface PluginSummary {
  name: string;
  priority: number;
  cost: "waits" | "records" | "inline";
}

/**
 * `waits`: its access phase may wait; gwc's own plugins wait only for another machine. `records`: it only
 * observes the exchange, and sends a record after the response. `inline`: it works during the request.
 * Buffering depends on settings, so it is a decision about a step (`PluginDefinition.decisions`).
 */
export function costOf({
  asyncAccess,
  phases,
}: Pick<PluginDefinition, "asyncAccess" | "phases">): PluginSummary["cost"] {
  if (asyncAccess === true) return "waits";
  return phases.includes("log") ? "records" : "inline";
}
