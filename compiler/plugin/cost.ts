import type { PluginDefinition } from "./definition.js";

/** Entry of a list of plugins. */
export interface PluginSummary {
  name: string;
  priority: number;
  /** Cost for a request; see `costOf`. */
  cost: "waits" | "records" | "inline";
}

/**
 * Returns the cost of a plugin for a request, by its definition. `waits`: its access phase may wait; gwc's
 * own plugins wait only for another machine. `records`: it only observes the exchange, and sends a record
 * after the response. `inline`: it works during the request. Settings decide whether it buffers bodies, so
 * that is a decision about its step, reported for each route (`PluginDefinition.decisions`).
 */
export function costOf({
  asyncAccess,
  phases,
}: Pick<PluginDefinition, "asyncAccess" | "phases">): PluginSummary["cost"] {
  if (asyncAccess === true) return "waits";
  return phases.includes("log") ? "records" : "inline";
}
