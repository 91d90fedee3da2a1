import { existsSync } from "node:fs";

/** What is read when the command line names nothing. */
const DEFAULTS = ["gateway.yaml", "gateway.yml", "gateway.json", "conf.d"];

/** Paths of the command line, or those that are there of the defaults. */
export function presentPaths(paths: readonly string[]): readonly string[] {
  return paths.length > 0 ? paths : DEFAULTS.filter((path) => existsSync(path));
}

/** Paths of the command line, or those that are there of the defaults; undefined (and said) when there are none. */
export function chosenPaths(paths: readonly string[]): readonly string[] | undefined {
  const found = presentPaths(paths);
  if (found.length > 0) return found;
  process.stderr.write("gwc: no gateway.yaml here; name the configuration, or write one with gwc init\n");
  return undefined;
}
