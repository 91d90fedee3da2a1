import type { LoadedPackage, NamedPackage } from "../compiler/model/package.js";
import "../plugins/index.js";
import { readSources } from "../compiler/1-parse/files.js";
import type { GeneratedModule } from "../compiler/5-emit/typescript.js";
import type { BuildCache } from "../compiler/7-build/build-cache.js";
import type { CompileResult } from "../compiler/compilation/compilation.js";
import { compileToPlan } from "../compiler/compilation/compile-to-plan.js";
import type { Diagnostic } from "../compiler/model/diagnostic.js";
import type { EmitTarget } from "../compiler/model/emit-target.js";
import type { StoredResource } from "../compiler/model/input.js";
import type { SourceText } from "../compiler/model/source.js";
import { namedPackages } from "../compiler/packages/named.js";
import { loadedPackages } from "../compiler/packages/outcomes.js";
import { permitted } from "../compiler/policy/policy.js";
import { policySource } from "../compiler/policy/policy-file.js";
import type { PluginBundle } from "../runtime/abi/plugin-bundle.js";

export interface Compiled {
  sources: SourceText[];
  diagnostics: Diagnostic[];
  environment: Readonly<Record<string, string | undefined>>;
  /** Undefined if a file could not be read. */
  result: CompileResult | undefined;
  packages: LoadedPackage[];
  memory?: BuildCache | undefined;
  /** Runtime parts of the packages; empty unless requested. */
  bundles: PluginBundle[];
  policy?: SourceText;
}

/**
 * Returns the diagnostics of all steps.
 * @param options.bundle bundles each package, and reports those that cannot be bundled
 * @param options.findingsOnly emits nothing from the plan
 */
export function compilePaths(paths: readonly string[], options: CompileOptions = {}): Promise<Compiled> {
  return compileSources(readSources(paths), options);
}

interface CompileOptions {
  bundle?: boolean;
  findingsOnly?: boolean;
  /** As in `CompileInput`. */
  advice?: boolean;
  /** Emit target of the modules. Default: TypeScript. */
  target?: EmitTarget<GeneratedModule>;
  /** Creates the cache for the sources and packages that were read. */
  memory?: (sources: readonly SourceText[], packages: readonly LoadedPackage[]) => BuildCache | undefined;
  /** Key of the hashes that identify literal secrets (`SecretKeeper`). */
  secretKey?: string;
  /** Default: the environment of the process. */
  environment?: Readonly<Record<string, string | undefined>>;
  stored?: readonly StoredResource[];
  policy?: string | undefined;
}

/** Does the same for sources that are already read. */
export async function compileSources(
  { sources, diagnostics: faults }: ReturnType<typeof readSources>,
  options: CompileOptions = {},
): Promise<Compiled> {
  const { secretKey, stored = [], environment = process.env } = options;
  const read = options.policy === undefined ? undefined : policySource(options.policy);
  const policy = read?.source;
  const given = { sources, environment, ...(policy && { policy }) };
  const diagnostics = [...faults, ...(read?.diagnostics ?? [])];
  const named = permitted(namedPackages(sources, environment), policy);
  const bundles = named.length === 0 ? [] : await loaded(named, options.bundle === true);
  const packages = loadedPackages(named);
  if (diagnostics.some(({ severity }) => severity === "error"))
    return { ...given, diagnostics, result: undefined, packages, bundles };
  const now = Math.floor(Date.now() / 1000);
  const key = secretKey === undefined ? {} : { secretKey };
  const advice = options.advice !== false;
  const input = { sources, stored, environment, now, policy, advice, ...key };
  const memory = options.memory?.(sources, packages);
  const result =
    options.findingsOnly === true
      ? compileToPlan(input)
      : (await import("../compiler/index.js")).compile(input, options.target, memory);
  const found = [...diagnostics, ...result.diagnostics];
  return { ...given, diagnostics: found, result, packages, bundles, memory };
}

/** Imports the loader on demand, because most configurations name no packages. */
async function loaded(named: readonly NamedPackage[], wantsBundles: boolean): Promise<PluginBundle[]> {
  const { loadPackages } = await import("../compiler/packages/load.js");
  await loadPackages(named);
  return wantsBundles ? (await import("../compiler/packages/bundles.js")).bundlesOf(named) : [];
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === "error");
