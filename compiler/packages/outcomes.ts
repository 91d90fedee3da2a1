import { keyOf, type NamedPackage } from "./named.js";
import { PackageError } from "./package-error.js";

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
  exports: readonly string[];
  variables: readonly string[];
}

/** Outcome of each package that was to be loaded, for good: modules are never loaded twice. */
const outcomes = new Map<string, LoadedPackage | PackageError>();

export function setOutcome(named: NamedPackage, outcome: LoadedPackage | PackageError): void {
  outcomes.set(keyOf(named), outcome);
}

/** A package turned out to be of no use after all. */
export function failPackage(root: string, fault: PackageError): void {
  for (const [key, outcome] of outcomes)
    if (!(outcome instanceof PackageError) && outcome.root === root) outcomes.set(key, fault);
}

/** What became of a package; undefined when nobody has asked this process to load it. */
export function packageOutcome(named: NamedPackage): LoadedPackage | PackageError | undefined {
  return outcomes.get(keyOf(named));
}

/** Those of a list that are loaded, each once. */
export function loadedPackages(named: readonly NamedPackage[]): LoadedPackage[] {
  const loaded = named.flatMap((one) => {
    const outcome = outcomes.get(keyOf(one));
    return outcome === undefined || outcome instanceof PackageError ? [] : [outcome];
  });
  return loaded.filter(({ root }, i) => loaded.findIndex((other) => other.root === root) === i);
}
