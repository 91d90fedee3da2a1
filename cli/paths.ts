import { existsSync } from "node:fs";
import { complain } from "./complain.js";

export const WAYS = "FILE… at the end, or --config FILE…";

/** Paths that are read if the command line names none. */
const DEFAULTS = ["gateway.yaml", "gateway.yml", "gateway.json", "conf.d"];

/** Paths of the command line, or else the default paths that exist. */
export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.length > 0 ? paths : DEFAULTS.filter((path) => existsSync(path));
}

/**
 * Falls back to the default paths that exist; undefined, with a message on standard error, without any.
 * @param config paths of `--config`, which every command takes in addition to its arguments
 */
export function chosenPaths(
  paths: readonly string[],
  config: readonly string[] = [],
): readonly string[] | undefined {
  const found = presentPaths([...paths, ...config]);
  if (found.length > 0) return found;
  complain(`no gateway.yaml here; name the configuration (${WAYS}), or write one with gwc init`);
  return undefined;
}
