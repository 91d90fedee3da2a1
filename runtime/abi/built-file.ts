import { existsSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url).href;
const BUILT = "/.build/";

/**
 * Finds a file that the build makes next to the module that names it, otherwise in `.build`. Threads, hooks
 * of Node and browsers cannot read the sources.
 * @param beside relative to the URL of that module
 */
export function builtFile(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(`${ROOT}.build/${beside.href.slice(ROOT.length)}`);
}

/**
 * Finds a file that is only among the sources, such as an example that a command prints.
 * @param beside relative to the URL of the module that names it
 */
export function sourceFile(beside: URL): URL {
  const at = beside.href.lastIndexOf(BUILT);
  if (at < 0 || existsSync(beside)) return beside;
  return new URL(beside.href.slice(0, at + 1) + beside.href.slice(at + BUILT.length));
}
