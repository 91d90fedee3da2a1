import { existsSync } from "node:fs";

/** Root of the sources; `.build` in the built program. */
const ROOT = new URL("../../", import.meta.url).href;

/**
 * Finds a file that the build makes next to the module that names it, otherwise in `.build`. Threads, hooks
 * of Node and browsers cannot read the sources.
 * @param beside its URL relative to that of the module that names it
 */
export function builtFile(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(`${ROOT}.build/${beside.href.slice(ROOT.length)}`);
}
