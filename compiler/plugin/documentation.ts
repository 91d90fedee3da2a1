import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { assetFolder } from "../../schema/schemas.js";
import { findPlugin } from "./registry.js";

/** Longest README that is told, in bytes; the longest of gwc's own plugins has 25,000. What is beyond is cut. */
const MAX_BYTES = 262_144;

/**
 * The README of a plugin, as Markdown: of gwc's own and of packages alike what stands beside the definition.
 * @returns null where it has none, or one that leads out of its folder; undefined where there is no such plugin
 */
export function pluginReadme(name: string): string | null | undefined {
  const plugin = findPlugin(name);
  if (plugin === undefined) return undefined;
  const folder = assetFolder(plugin.moduleUrl);
  const path = join(folder, "README.md");
  try {
    // A link of a package would show any file of this machine to whoever has a key.
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
