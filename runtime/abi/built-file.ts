import { existsSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url).href;

/**
 * Finds a file that the build makes next to the module that names it, otherwise in `.build`. Threads, hooks
 * of Node and browsers cannot read the sources.
 * @param beside relative to the URL of that module
 */
export function builtFile(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(`${ROOT}.build/${beside.href.slice(ROOT.length)}`);
}
