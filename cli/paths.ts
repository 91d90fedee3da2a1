import { existsSync } from "node:fs";
import { complain } from "./complain.js";

/** Ways to name files, the same for all commands. */
export const WAYS = "FILE… at the end, or --config FILE…";

/** What is read when the command line names nothing. */
const DEFAULTS = ["gateway.yaml", "gateway.yml", "gateway.json", "conf.d"];

/** Paths of the command line, or those that are there of the defaults. */
export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.length > 0 ? paths : DEFAULTS.filter((path) => existsSync(path));
}

/**
 * Paths of the command line, or those that are there of the defaults; undefined (and said) when there are none.
 * @param config those of `--config`, which every command takes beside its arguments
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
