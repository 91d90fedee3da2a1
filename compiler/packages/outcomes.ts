import type { LoadedPackage, NamedPackage } from "../model/package.js";
import { keyOf } from "./named.js";
import { PackageError } from "./package-error.js";

/** A result is final: modules are never loaded twice. */
const outcomes = new Map<string, LoadedPackage | PackageError>();

export function setOutcome(named: NamedPackage, outcome: LoadedPackage | PackageError): void {
  outcomes.set(keyOf(named), outcome);
}

export function failPackage(root: string, fault: PackageError): void {
  for (const [key, outcome] of outcomes)
    if (!(outcome instanceof PackageError) && outcome.root === root) outcomes.set(key, fault);
}

/** @returns undefined if this process has not tried to load it */
export function packageOutcome(named: NamedPackage): LoadedPackage | PackageError | undefined {
  return outcomes.get(keyOf(named));
}

export function loadedPackages(named: readonly NamedPackage[]): LoadedPackage[] {
  const loaded = named.flatMap((one) => {
    const outcome = outcomes.get(keyOf(one));
    return outcome === undefined || outcome instanceof PackageError ? [] : [outcome];
  });
  return loaded.filter(({ root }, i) => loaded.findIndex((other) => other.root === root) === i);
}
