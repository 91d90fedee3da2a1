import type { LoadedPackage } from "../compiler/model/package.js";
import "../plugins/index.js";
import { resolve } from "node:path";
import { BuildCache } from "../compiler/7-build/build-cache.js";
import { readBuildCache } from "../compiler/7-build/build-cache-store.js";
import { codeHash } from "../compiler/7-build/code-hash.js";
import type { SourceText } from "../compiler/model/source.js";
import { canonicalHash } from "../runtime/abi/hash.js";

/** Minimum size in characters, some 300 routes. A smaller configuration is faster to build again. */
const WORTH = 100_000;

export const charactersOf = (sources: readonly SourceText[]): number =>
  sources.reduce((sum, { text }) => sum + text.length, 0);

/** Undefined if the configuration is small. */
export function buildCacheOf(
  out: string,
  sources: readonly SourceText[],
  packages: readonly LoadedPackage[],
  believed: boolean,
): BuildCache | undefined {
  if (charactersOf(sources) < WORTH) return undefined;
  const maker = canonicalHash([codeHash(packages), resolve(out), process.cwd()]);
  return new BuildCache(maker, sources, believed ? readBuildCache(out) : undefined);
}
