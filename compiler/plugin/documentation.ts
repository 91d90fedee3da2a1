import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { assetFolder } from "../../schema/schemas.js";
import type { PluginDefinition } from "./definition.js";
import { findPlugin } from "./registry.js";

/** A longer README is cut. The longest of gwc's own plugins has 25,000. */
const MAX_BYTES = 262_144;

/** @returns null if the plugin has no README or it is a link; undefined if there is no such plugin */
export function pluginReadme(name: string): string | null | undefined {
  const plugin = findPlugin(name);
  if (plugin === undefined) return undefined;
  const folder = assetFolder(plugin.moduleUrl);
  const path = join(folder, "README.md");
  try {
    // A link in a package could show any file of this machine to everyone with an admin key.
    if (relative(realpathSync(folder), realpathSync(path)) !== "README.md") return null;
    return beginning(path);
  } catch {
    return null;
  }
}

function beginning(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

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
