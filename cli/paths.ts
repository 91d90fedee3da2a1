import { existsSync } from "node:fs";
import { complain } from "./output.js";

/** Option of every command that reads a configuration. */
const OPTION = "--config FILE…";
const WAYS = `FILE… at the end, or ${OPTION}`;

/** Paths that are read if the command line names none. */
export const DEFAULTS = ["gateway.yaml", "gateway.yml", "gateway.json", "conf.d"];

/** Paths of the command line, or else the default paths that exist. */
export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.length > 0 ? paths : DEFAULTS.filter((path) => existsSync(path));
}

/**
 * Falls back to the default paths that exist; undefined, with a message on standard error, without any.
 * @param paths arguments of the command; undefined if it takes none
 * @param config paths of `--config`, which every command takes in addition to its arguments
 */
export function chosenPaths(
  paths: readonly string[] | undefined,
  config: readonly string[] = [],
): readonly string[] | undefined {
  const found = presentPaths([...(paths ?? []), ...config]);
  if (found.length > 0) return found;
  const ways = paths === undefined ? OPTION : WAYS;
  complain(`no gateway.yaml here; name the configuration (${ways}), or write one with gwc init`);
  return undefined;
}
