import { register } from "node:module";
import { builtFile } from "../../runtime/abi/built-file.js";

let done = false;

/** Resolves every `gwc/plugin` to this gwc from now on, even if another copy of gwc is installed, or none. */
export function resolveOwnModules(): void {
  if (done) return;
  done = true;
  const hook = builtFile(new URL("./resolve-hook.js", import.meta.url));
  register(hook, { data: { "gwc/plugin": builtFile(new URL("../plugin-api.js", import.meta.url)).href } });
}
