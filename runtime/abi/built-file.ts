import { existsSync } from "node:fs";

/** Root of the sources; `.build` in the built program. */
const ROOT = new URL("../../", import.meta.url).href;

/**
 * A file that the build makes: beside the module that names it in the built program, else in `.build`. Threads, hooks of Node's and browsers
 * do not read the sources.
 * @param beside its URL relative to that of the module that names it
 */
export function builtFile(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(`${ROOT}.build/${beside.href.slice(ROOT.length)}`);
}
