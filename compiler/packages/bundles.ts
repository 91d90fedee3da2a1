import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { linkOwnModules, type PluginBundle } from "../../runtime/abi/plugin-bundle.js";
import type { LoadedPackage, NamedPackage } from "../model/package.js";
import { bundled } from "./bundle.js";
import { failPackage, loadedPackages } from "./outcomes.js";
import { PackageError, reasonOf } from "./package-error.js";
import { ImportSandbox } from "./sandbox-import.js";

const byRoot = new Map<string, PluginBundle>();

/** A package that cannot be bundled gets a diagnostic; one without code and declarations has no bundle. */
export async function bundlesOf(named: readonly NamedPackage[]): Promise<PluginBundle[]> {
  const bundles: PluginBundle[] = [];
  for (const loaded of loadedPackages(named)) {
    if (loaded.runtime === undefined && loaded.reservedHeaders.length === 0) continue;
    try {
      const bundle = byRoot.get(loaded.root) ?? (await bundleOf(loaded));
      byRoot.set(loaded.root, bundle);
      bundles.push(bundle);
    } catch (error) {
      const reason = reasonOf(error).replace(/^Error: /, "");
      failPackage(loaded.root, new PackageError("GW7009", { package: loaded.name, reason }));
    }
  }
  return bundles;
}

async function bundleOf(loaded: LoadedPackage): Promise<PluginBundle> {
  const { plugin: name, version, abi, hash, exports, variables, root, runtime } = loaded;
  const own = runtime === undefined ? { code: "", licenses: "" } : await bundled(runtime, root);
  const made = { ...own, code: [own.code, ...reservedCode(loaded)].filter((part) => part !== "").join("\n") };
  await tryBundle(made.code, { exports, variables });
  return { name, version, abi, hash, exports, ...made };
}

/**
 * Code that tells the data path which headers the definition reserves (`RuntimeModule`): workers load the
 * bundle, but no definition. It follows the runtime code, whose source map stays valid.
 */
const reservedCode = ({ reservedHeaders }: LoadedPackage): string[] =>
  reservedHeaders.length === 0
    ? []
    : [`export const gwcReservedHeaders = ${JSON.stringify(reservedHeaders)};\n`];

/** Loads it in a thread, to find errors before a worker receives the bundle. */
async function tryBundle(
  code: string,
  promised: Pick<LoadedPackage, "exports" | "variables">,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "gwc-bundle-"));
  const trials = new ImportSandbox(false);
  try {
    const file = join(folder, "runtime.mjs");
    writeFileSync(file, code);
    linkOwnModules(folder);
    const { href } = pathToFileURL(file);
    await trials.try(href);
    const { runtime } = (await import(href)) as { runtime?: Record<string, Record<string, unknown>> };
    for (const part of ["exports", "variables"] as const) {
      const missing = promised[part].find((one) => typeof runtime?.[part]?.[one] !== "function");
      if (missing !== undefined) throw new Error(`it exports no "runtime" whose ${part} have "${missing}"`);
    }
  } finally {
    trials.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
