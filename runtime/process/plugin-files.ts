import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { messageOf } from "../abi/error-message.js";
import { sha256 } from "../abi/hash.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import { type PluginRuntime, type RuntimeModule, registerRuntime, runtimeIn } from "../abi/plugin-runtime.js";
import { withOwnMetrics } from "./plugin-metrics.js";

/** Hashes of the files that this process has loaded, by plugin: a process never unloads a module. */
const loaded = new Map<string, string>();

/** Called before modules that use the files. @throws Error if a file differs from the built one or does not load */
export async function loadPluginFiles(files: readonly PluginFile[]): Promise<void> {
  for (const { name, file, hash } of files) {
    const known = loaded.get(name);
    if (known === hash) continue;
    if (known !== undefined)
      throw new Error(`plugin ${name}: another version of it is loaded in this process`);
    registerRuntime(name, withOwnMetrics(name, await runtimeOf(name, file, hash)));
    loaded.set(name, hash);
  }
}

async function runtimeOf(name: string, file: string, hash: string): Promise<PluginRuntime> {
  if (sha256(readFileSync(file)) !== hash) throw new Error(`plugin ${name}: ${file} does not have its hash`);
  try {
    return runtimeIn((await import(pathToFileURL(file).href)) as RuntimeModule);
  } catch (error) {
    throw new Error(`plugin ${name} does not load: ${messageOf(error)}`);
  }
}

/** Returns a fingerprint of a set of files in any order: a worker that outlived control may have others. */
export function fingerprintOf(files: readonly Pick<PluginFile, "name" | "hash">[]): string {
  return files
    .map(({ name, hash }) => `${name}:${hash}`)
    .sort()
    .join(" ");
}

export const loadedFingerprint = (): string =>
  fingerprintOf([...loaded].map(([name, hash]) => ({ name, hash })));
