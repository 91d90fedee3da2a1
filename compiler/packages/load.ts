import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { PackagedPlugin } from "../plugin/package.js";
import { registerPlugin } from "../plugin/registry.js";
import { checkAssets } from "./assets.js";
import { contentHash } from "./content-hash.js";
import { checkedDefinition } from "./contract.js";
import { PackageFault, reasonAt } from "./fault.js";
import { guarded } from "./guarded.js";
import { insidePackage, locate } from "./locate.js";
import { keyOf, type NamedPackage } from "./named.js";
import { resolveOwnModules } from "./own-modules.js";
import { ImportRefused, TrialImports } from "./trial-import.js";

/** A package whose plugin this process has. */
export interface LoadedPackage extends NamedPackage {
  /** Of the plugin. */
  plugin: string;
  version: string;
  abi: readonly [number, number];
  /** Over the package's own files. */
  hash: string;
  /** Absolute, without links. */
  root: string;
  /** Absolute path of the module that its calls come from. */
  runtime?: string;
  /** Names of its calls, and of the variables that it reads. */
  calls: readonly string[];
  variables: readonly string[];
}

/** What became of each package that was to be loaded, for good: modules are never loaded twice. */
const outcomes = new Map<string, LoadedPackage | PackageFault>();
/** By root: the same package may be named from several places. */
const byRoot = new Map<string, LoadedPackage>();

/**
 * Loads packages and registers their plugins; never throws for what a package does.
 * @param tried where another thread has loaded them before, and this one is ended when it takes too long
 */
export async function loadPackages(named: readonly NamedPackage[], { tried = false } = {}): Promise<void> {
  const trials = tried ? undefined : new TrialImports(true);
  try {
    for (const one of named) {
      if (outcomes.has(keyOf(one))) continue;
      outcomes.set(keyOf(one), await outcomeOf(one, trials));
    }
  } finally {
    trials?.close();
  }
}

/** A package turned out to be of no use after all. */
export function failPackage(root: string, fault: PackageFault): void {
  for (const [key, outcome] of outcomes)
    if (!(outcome instanceof PackageFault) && outcome.root === root) outcomes.set(key, fault);
}

/** What became of a package; undefined when nobody has asked this process to load it. */
export function packageOutcome(named: NamedPackage): LoadedPackage | PackageFault | undefined {
  return outcomes.get(keyOf(named));
}

/** Those of a list that are loaded, each once. */
export function loadedPackages(named: readonly NamedPackage[]): LoadedPackage[] {
  const loaded = named.flatMap((one) => {
    const outcome = outcomes.get(keyOf(one));
    return outcome === undefined || outcome instanceof PackageFault ? [] : [outcome];
  });
  return loaded.filter(({ root }, i) => loaded.findIndex((other) => other.root === root) === i);
}

async function outcomeOf(
  named: NamedPackage,
  trials: TrialImports | undefined,
): Promise<LoadedPackage | PackageFault> {
  try {
    return await load(named, trials);
  } catch (error) {
    if (error instanceof PackageFault) return error;
    throw error;
  }
}

async function load(named: NamedPackage, trials: TrialImports | undefined): Promise<LoadedPackage> {
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
    calls: Object.keys(definition.calls ?? {}).sort(),
    variables: (definition.variables ?? []).map(({ name: own }) => own).sort(),
  };
  byRoot.set(located.root, loaded);
  return loaded;
}

async function imported(
  name: string,
  { entry, root }: { entry: string; root: string },
  trials: TrialImports | undefined,
): Promise<unknown> {
  resolveOwnModules();
  const { href } = pathToFileURL(entry);
  try {
    await trials?.try(href);
    return ((await import(href)) as { default?: unknown }).default;
  } catch (error) {
    if (!(error instanceof ImportRefused))
      throw new PackageFault("GW7003", {
        package: name,
        reason: reasonAt(error, pathToFileURL(`${root}/`).href),
      });
    const { seconds, message } = error;
    if (seconds !== undefined) throw new PackageFault("GW7013", { package: name, seconds });
    throw new PackageFault("GW7003", { package: name, reason: message });
  }
}

/** Declaration of the module that calls come from: "index.js" has "index.d.ts". */
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
  const at = pathToFileURL(join(root, "package.json")).href;
  registerPlugin(guarded({ ...definition, at, ...(types !== undefined && { types }) }, name));
}
