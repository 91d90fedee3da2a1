import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundlePath, type PluginBundle, type PluginFile } from "../abi/plugin-bundle.js";
import { sha256 } from "../abi/sha256.js";

/**
 * Writes what plugins of packages do at run time where the workers of this run find it: one that starts later gets the same
 * bytes, whatever has become of the packages, or of the build, meanwhile.
 */
export function writeBundles(runDirectory: string, bundles: readonly PluginBundle[]): PluginFile[] {
  return bundles.map((bundle) => {
    const file = join(runDirectory, bundlePath(bundle));
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bundle.code, { mode: 0o600 });
    return { name: bundle.name, file, hash: sha256(bundle.code), calls: bundle.calls };
  });
}
