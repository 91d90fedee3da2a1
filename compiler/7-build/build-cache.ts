import { isDeepStrictEqual } from "node:util";
import type { RouterRow } from "../../runtime/abi/generation.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { type CachedRoute, RouteCache } from "../4-plan/route-cache.js";
import { moduleFile } from "../5-emit/module.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { Cache, jsonStep } from "../cache/cache.js";
import type { SourceText } from "../model/source.js";
import type { BuildFile } from "./build-file.js";
import type { ListedFiles } from "./listed-files.js";

/** SHA-256 of the configuration files by name. Its key is empty: a cache is of one build. */
const SOURCES = jsonStep<Readonly<Record<string, string>>>("sources");

interface BuildCacheOptions {
  replaced: ListedFiles;
  /** Modules that have passed the check; undefined if the build checks none. */
  passed: ReadonlySet<string> | undefined;
  /** The build contains the plan. */
  needsPlans: boolean;
}

/** Results of the replaced build, and those for the next one. */
export class BuildCache {
  readonly cache: Cache;
  readonly routes: RouteCache;
  /** The last build left no results. */
  readonly isEmpty: boolean;
  readonly #sources: Readonly<Record<string, string>>;
  readonly #before: Readonly<Record<string, string>>;
  readonly #options: BuildCacheOptions;

  constructor(cache: Cache | undefined, sources: readonly SourceText[], options: BuildCacheOptions) {
    this.cache = cache ?? new Cache([]);
    this.isEmpty = cache === undefined;
    this.#sources = Object.fromEntries(sources.map(({ name, text }) => [name, sha256(text)]));
    this.#before = this.cache.get(SOURCES, "") ?? {};
    this.#options = options;
    const isUsable = (id: string, made: CachedRoute) => this.#isUsable(id, made);
    this.routes = new RouteCache(this.cache, { isUsable, needsPlans: options.needsPlans });
  }

  /** Reports whether the last build had the same configuration files. */
  get hasSameSources(): boolean {
    return isDeepStrictEqual(this.#before, this.#sources);
  }

  /**
   * Adds the files of a build, for the next one.
   * @param rows of all routes
   * @param files by path, with all modules and their maps
   */
  add(
    rows: readonly RouterRow[],
    modules: readonly GeneratedModule[],
    files: ReadonlyMap<string, BuildFile>,
  ): void {
    this.cache.set(SOURCES, "", this.#sources);
    const byId = new Map(modules.map((module) => [module.text.moduleId, module]));
    for (const { id, moduleId, hasMatch } of rows) {
      const module = byId.get(moduleId ?? "");
      const [typescript, map] = [module?.path, `${module?.text.file}.js.map`].map((path) =>
        files.get(path ?? ""),
      );
      if (module && typescript && map)
        this.routes.add(id, {
          ...{ pipeline: module.pipeline, hasMatch, loadable: module.text.hash },
          ...{ typescript: bare(typescript), map: bare(map), sources: map.sources ?? [] },
        });
    }
  }

  /** Reports whether the replaced build has the files of a route, checked if a check runs, of unchanged sources. */
  #isUsable(id: string, { typescript, map, sources }: CachedRoute): boolean {
    const { replaced, passed } = this.#options;
    const file = moduleFile({ kind: "route", id });
    return (
      passed?.has(typescript.hash) !== false &&
      replaced.hashes[`${file}.ts`] === typescript.hash &&
      replaced.hashes[`${file}.js.map`] === map.hash &&
      sources.every((name) => this.#before[name] === this.#sources[name])
    );
  }
}

const bare = ({ hash, size }: BuildFile) => ({ hash, size });
