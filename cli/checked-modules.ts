import "../plugins/index.js";
import type { GeneratedModule } from "../compiler/5-emit/typescript.js";
import { checkerHash } from "../compiler/6-check/checker-hash.js";
import { runChecks, skeletonsOf } from "../compiler/6-check/run-checks.js";
import type { ListedFiles } from "../compiler/7-build/listed-files.js";
import { type Cache, jsonStep } from "../compiler/cache/cache.js";
import { readCheckedHashes, writeCheckedHashes } from "../compiler/cache/checked-hashes.js";
import { type Diagnostic, hasErrors } from "../compiler/model/diagnostic.js";
import type { LoadedPackage } from "../compiler/model/package.js";
import { messageOf } from "../runtime/abi/error-message.js";
import { sha256 } from "../runtime/abi/hash.js";
import { complain, type Progress } from "./output.js";

/** Passed type checks that a build relies on. */
export interface KnownChecks {
  /** Hash of all inputs of the check besides a module (`checkerHash`). */
  checker: string;
  /** SHA-256 of the TypeScript of modules that have passed. */
  passed: ReadonlySet<string>;
  /** Directory of passed modules that builds share. */
  shared: string | undefined;
  /** Cache of the last build: skeletons that have passed the type check. */
  cache?: Cache | undefined;
}

/**
 * Reads which modules have passed, in the replaced build and in the shared directory. Both only confirm texts
 * by their hashes and provide none: whatever they contain, the build writes what was compiled.
 */
export function knownChecks(
  replaced: ListedFiles,
  shared: string | undefined,
  packages: readonly LoadedPackage[],
): KnownChecks {
  const checker = checkerHash(packages);
  const inBuild = replaced.checked === checker ? Object.entries(replaced.hashes) : [];
  const passed = new Set(inBuild.flatMap(([name, hash]) => (name.endsWith(".ts") ? [hash] : [])));
  if (shared !== undefined) for (const hash of readCheckedHashes(shared, checker)) passed.add(hash);
  return { checker, passed, shared };
}

/** Skeletons that passed a checker, newest first, by its hash. */
const SKELETONS = jsonStep<readonly string[]>("skeletons");

/** Maximum number of skeletons; 20,000 routes have some hundred. */
const MAX_SKELETONS = 5_000;

/**
 * Checks the modules that are not known to pass.
 * @param unchanged hashes of modules that are known to pass and were not emitted
 */
export async function checkedModules(
  modules: readonly GeneratedModule[],
  unchanged: readonly string[],
  { checker, passed, shared, cache }: KnownChecks,
  progress: Pick<Progress, "stage">,
): Promise<Diagnostic[]> {
  const skeletons = cache?.get(SKELETONS, checker) ?? [];
  const hashes = modules.map(({ content }) => sha256(content));
  const others = modules
    .filter((_, i) => !passed.has(hashes[i] ?? ""))
    .map(({ content, text }) => ({ file: text.file, typescript: content, loadable: text.code }));
  if (others.length === 0) return [];
  progress.stage(`checking ${others.length} of ${modules.length + unchanged.length} modules`);
  const found = skeletonsOf(others);
  const known = new Set(skeletons);
  const unknown = [...found].flatMap(([skeleton, module]) => (known.has(skeleton) ? [] : module));
  const types = unknown.length === 0 ? () => [] : (await import("../compiler/6-check/types.js")).checkTypes;
  const findings = runChecks(types, others, unknown);
  if (hasErrors(findings)) return findings;
  cache?.set(SKELETONS, checker, [...new Set([...found.keys(), ...skeletons])].slice(0, MAX_SKELETONS));
  if (shared !== undefined) share(shared, checker, [...hashes, ...unchanged]);
  return findings;
}

/** Writes the passed modules. If that fails, only the next build takes longer. */
function share(directory: string, checker: string, hashes: readonly string[]): void {
  try {
    writeCheckedHashes(directory, checker, hashes);
  } catch (error) {
    complain(`cannot write the cache ${directory}: ${messageOf(error)}`);
  }
}
