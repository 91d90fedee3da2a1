import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { LoadedPackage, NamedPackage } from "../model/package.js";
import type { PackagedPlugin } from "../plugin/package.js";
import { registerPlugin } from "../plugin/registry.js";
import { checkAssets } from "./assets.js";
import { withPluginChecks } from "./checked-plugin.js";
import { contentHash } from "./content-hash.js";
import { checkedDefinition } from "./contract.js";
import { insidePackage, locate } from "./locate.js";
import { packageOutcome, setOutcome } from "./outcomes.js";
import { resolveOwnModules } from "./own-modules.js";
import { PackageError, reasonAt } from "./package-error.js";
import { ImportError, ImportSandbox } from "./sandbox-import.js";

/** Packages by root, since several files may name the same package. */
const byRoot = new Map<string, LoadedPackage>();

/**
 * Registers plugins; never throws for errors of a package.
 * @param tried true if another thread has already loaded them, and this thread has a time limit
 */
export async function loadPackages(named: readonly NamedPackage[], { tried = false } = {}): Promise<void> {
  const trials = tried ? undefined : new ImportSandbox(true);
  try {
    for (const one of named) {
      if (packageOutcome(one) === undefined) setOutcome(one, await outcomeOf(one, trials));
    }
  } finally {
    trials?.close();
  }
}

async function outcomeOf(
  named: NamedPackage,
  trials: ImportSandbox | undefined,
): Promise<LoadedPackage | PackageError> {
  try {
    return await load(named, trials);
  } catch (error) {
    if (error instanceof PackageError) return error;
    throw error;
  }
}

async function load(named: NamedPackage, trials: ImportSandbox | undefined): Promise<LoadedPackage> {
  const { name } = named;
  const located = locate(named);
  const known = byRoot.get(located.root);
  if (known !== undefined) return { ...known, ...named };
  const hash = contentHash(located.root, name);
  const definition = checkedDefinition(await imported(name, located, trials), name, located);
  checkAssets(located.root, name, definition);
  const runtime =
    definition.runtime === undefined
      ? undefined
      : insidePackage(located.root, definition.runtime, name, '"runtime"');
  const types = runtime === undefined ? undefined : typesBeside(runtime, located.root, name);
  registerFrom(definition, located.root, name, types);
  const loaded = {
    ...named,
    plugin: definition.name,
    version: located.version,
    abi: definition.abi,
    hash,
    root: located.root,
    ...(runtime !== undefined && { runtime }),
    exports: Object.keys(definition.exports ?? {}).sort(),
    variables: (definition.variables ?? []).map(({ name: own }) => own).sort(),
    reservedHeaders: [
      ...new Set((definition.reservedHeaders ?? []).map((header) => header.toLowerCase())),
    ].sort(),
  };
  byRoot.set(located.root, loaded);
  return loaded;
}

async function imported(
  name: string,
  { entry, root }: { entry: string; root: string },
  trials: ImportSandbox | undefined,
): Promise<unknown> {
  resolveOwnModules();
  const { href } = pathToFileURL(entry);
  try {
    await trials?.try(href);
    return ((await import(href)) as { default?: unknown }).default;
  } catch (error) {
    if (!(error instanceof ImportError))
      throw new PackageError("GW7003", {
        package: name,
        reason: reasonAt(error, pathToFileURL(`${root}/`).href),
      });
    const { seconds, message } = error;
    if (seconds !== undefined) throw new PackageError("GW7013", { package: name, seconds });
    throw new PackageError("GW7003", { package: name, reason: message });
  }
}

function typesBeside(runtime: string, root: string, name: string): string {
  const types = runtime.replace(/\.([cm]?)js$/, ".d.$1ts");
  return insidePackage(root, types, name, 'the declaration of "runtime"');
}

function registerFrom(
  { abi: _, runtime: __, ...definition }: PackagedPlugin,
  root: string,
  name: string,
  types: string | undefined,
): void {
  const moduleUrl = pathToFileURL(join(root, "package.json")).href;
  registerPlugin(withPluginChecks({ ...definition, moduleUrl, ...(types !== undefined && { types }) }, name));
}
