import { keyOf, type NamedPackage } from "./named.js";
import { PackageError } from "./package-error.js";

/** Package whose plugin this process has loaded. */
export interface LoadedPackage extends NamedPackage {
  plugin: string;
  version: string;
  abi: readonly [number, number];
  /** Hash of the package's own files. */
  hash: string;
  /** Absolute path without symbolic links. */
  root: string;
  /** Absolute path of the module with its calls. */
  runtime?: string;
  /** Names of its calls, and of the variables that it reads. */
  exports: readonly string[];
  variables: readonly string[];
}

/** Result of loading each package, which is final: modules are never loaded twice. */
const outcomes = new Map<string, LoadedPackage | PackageError>();

export function setOutcome(named: NamedPackage, outcome: LoadedPackage | PackageError): void {
  outcomes.set(keyOf(named), outcome);
}

/** Replaces a successful result by an error. */
export function failPackage(root: string, fault: PackageError): void {
  for (const [key, outcome] of outcomes)
    if (!(outcome instanceof PackageError) && outcome.root === root) outcomes.set(key, fault);
}

/** Result of loading a package; undefined if this process has not tried to load it. */
export function packageOutcome(named: NamedPackage): LoadedPackage | PackageError | undefined {
  return outcomes.get(keyOf(named));
}

/** Loaded packages of a list, without duplicates. */
export function loadedPackages(named: readonly NamedPackage[]): LoadedPackage[] {
  const loaded = named.flatMap((one) => {
    const outcome = outcomes.get(keyOf(one));
    return outcome === undefined || outcome instanceof PackageError ? [] : [outcome];
  });
  return loaded.filter(({ root }, i) => loaded.findIndex((other) => other.root === root) === i);
}
