import { register } from "node:module";
import { builtFile } from "../../runtime/abi/built-file.js";

let done = false;

const OWN: Readonly<Record<string, URL>> = {
  "gwc/plugin": new URL("../plugin-api.js", import.meta.url),
  "gwc/logger": new URL("../logger-api.js", import.meta.url),
  "gwc/logger/runtime": new URL("../../runtime/logging/index.js", import.meta.url),
};

/** Resolves them to this gwc from now on, even if another copy of gwc is installed, or none. */
export function resolveOwnModules(): void {
  if (done) return;
  done = true;
  const hook = builtFile(new URL("./resolve-hook.js", import.meta.url));
  const data = Object.fromEntries(Object.entries(OWN).map(([name, url]) => [name, builtFile(url).href]));
  register(hook, { data });
}
