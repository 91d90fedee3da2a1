import type { GeneratedModule } from "../compiler/5-emit/typescript.js";
import {
  type CheckedHashes,
  checkCacheKey,
  checkedInBuild,
  readCheckCache,
  writeCheckCache,
} from "../compiler/6-check/check-cache.js";
import { checkerHash } from "../compiler/6-check/checker-hash.js";
import { runChecks, skeletonsOf } from "../compiler/6-check/run-checks.js";
import type { BuildCache } from "../compiler/7-build/build-cache.js";
import type { Diagnostic } from "../compiler/model/diagnostic.js";
import type { LoadedPackage } from "../compiler/model/package.js";
import { messageOf } from "../runtime/abi/error-message.js";
import { hasErrors } from "./input.js";
import { complain, type Progress } from "./output.js";

/** Sources of passed type checks: the build that is replaced, and a directory that builds share. */
export interface CheckCacheDirs {
  out: string;
  cache?: string;
  /** Cache of the last build: skeletons that have passed the type check. */
  memory?: Pick<BuildCache, "skeletons" | "addSkeletons"> | undefined;
}

/**
 * Checks the modules that are not known to pass. A cache only confirms texts by their hashes and provides
 * none: whatever it contains, the build writes what was compiled.
 */
export async function checkedModules(
  modules: readonly GeneratedModule[],
  packages: readonly LoadedPackage[],
  places: CheckCacheDirs,
  progress: Pick<Progress, "stage">,
): Promise<{ findings: Diagnostic[]; checker: string }> {
  const checker = checkerHash(packages);
  // Getters: the text of a module that is known to have passed is not read.
  const made = modules.map((module) => ({
    ...{ file: module.text.file, marks: module.marks },
    get typescript() {
      return module.content;
    },
    get loadable() {
      return module.text.code;
    },
  }));
  const passed = passedBefore(places, checker);
  const others = made.filter((module) => !passed.has(checkCacheKey(module)));
  if (others.length === 0) return { findings: [], checker };
  progress.stage(`checking ${others.length} of ${modules.length} modules`);
  const shapes = skeletonsOf(others);
  const known = places.memory?.skeletons(checker) ?? new Set();
  const unknown = [...shapes].flatMap(([shape, module]) => (known.has(shape) ? [] : module));
  const types = unknown.length === 0 ? () => [] : (await import("../compiler/6-check/types.js")).checkTypes;
  const findings = runChecks(types, others, unknown);
  if (!hasErrors(findings)) places.memory?.addSkeletons(shapes.keys());
  if (places.cache !== undefined && !hasErrors(findings))
    keep(places.cache, checker, made.map(checkCacheKey));
  return { findings, checker };
}

function passedBefore({ out, cache }: CheckCacheDirs, checker: string): CheckedHashes {
  const inCache = cache === undefined ? [] : readCheckCache(cache, checker);
  return new Set([...checkedInBuild(out, checker), ...inCache]);
}

/** Writes the cache. If that fails, only the next build takes longer. */
function keep(cache: string, checker: string, names: readonly string[]): void {
  try {
    writeCheckCache(cache, checker, names);
  } catch (error) {
    complain(`cannot write the cache ${cache}: ${messageOf(error)}`);
  }
}
