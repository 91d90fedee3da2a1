import { existsSync } from "node:fs";
import { register } from "node:module";

const ROOT = new URL("../../", import.meta.url).href;

let done = false;

/** From now on every `gwc/plugin` is the one of this gwc, also where another copy of gwc is installed, or none. */
export function resolveOwnModules(): void {
  if (done) return;
  done = true;
  const hook = builtModule(new URL("./resolve-hook.js", import.meta.url));
  register(hook, { data: { "gwc/plugin": builtModule(new URL("../plugin/api.js", import.meta.url)).href } });
}

/**
 * A module of gwc as it is built: threads and hooks of Node's do not read the sources.
 * @param beside its URL relative to that of the module that names it
 */
export function builtModule(beside: URL): URL {
  return existsSync(beside) ? beside : new URL(`${ROOT}.build/${beside.href.slice(ROOT.length)}`);
}
