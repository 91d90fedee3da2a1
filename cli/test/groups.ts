import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const CONFIGURATION = /\.(?:ya?ml|json)$/;

/**
 * Groups paths that are compiled together. A directory without configuration files is replaced by its folders
 * that have some, each a configuration of its own. All other paths are one configuration.
 */
export function groupsOf(paths: readonly string[]): string[][] {
  const together: string[] = [];
  const alone: string[][] = [];
  for (const path of paths) {
    const folders = hasConfiguration(path) === false ? foldersIn(path) : [];
    if (folders.length === 0) together.push(path);
    else alone.push(...folders.map((folder) => [folder]));
  }
  return together.length === 0 ? alone : [together, ...alone];
}

/** @returns undefined if the path is no directory */
function hasConfiguration(path: string): boolean | undefined {
  try {
    if (!statSync(path).isDirectory()) return undefined;
    return readdirSync(path, { withFileTypes: true }).some(
      (entry) => !entry.isDirectory() && !entry.name.startsWith(".") && CONFIGURATION.test(entry.name),
    );
  } catch {
    return undefined;
  }
}

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => join(path, name))
    .filter(hasConfiguration)
    .sort();
