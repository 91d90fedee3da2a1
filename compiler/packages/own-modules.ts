import { existsSync } from "node:fs";
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";

let done = false;

/** From now on every `gwc/plugin` is the one beside this file, also where another copy of gwc is installed, or none. */
export function resolveOwnModules(): void {
  if (done) return;
  done = true;
  register(builtModule("resolve-hook.js"), { data: { "gwc/plugin": interfaceModule() } });
}

/** URL of a module of this folder as it is built: threads of Node's do not read the sources. */
export function builtModule(name: string): URL {
  const beside = new URL(`./${name}`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../packages/${name}`, interfaceModule());
}

function interfaceModule(): string {
  const require = createRequire(import.meta.url);
  return pathToFileURL(require.resolve("gwc/plugin")).href;
}
