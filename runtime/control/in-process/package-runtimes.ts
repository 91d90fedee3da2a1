import type { LoadedPackage } from "../../../compiler/model/package.js";
import "../../../plugins/runtime.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PluginBundle } from "../../abi/plugin-bundle.js";
import { type RuntimeModule, registerRuntime, runtimeIn } from "../../abi/plugin-runtime.js";
import { reserveHeaders } from "../../abi/reserved-header-names.js";
import { writeBundles } from "../plugin-bundles.js";

/** Plugins of packages registered in this process: several configurations may use one. */
const registered = new Set<string>();

export async function registerPackages(packages: readonly LoadedPackage[]): Promise<void> {
  for (const { plugin, runtime, reservedHeaders } of packages) {
    reserveHeaders(reservedHeaders);
    if (runtime !== undefined) await register(plugin, runtime);
  }
}

export async function registerBundles(bundles: readonly PluginBundle[]): Promise<void> {
  if (bundles.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), "gwc-plugins-"));
  try {
    for (const { name, file } of writeBundles(folder, bundles)) await register(name, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function register(plugin: string, file: string): Promise<void> {
  if (registered.has(plugin)) return;
  registered.add(plugin);
  registerRuntime(plugin, runtimeIn((await import(pathToFileURL(file).href)) as RuntimeModule));
}
