import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../runtime/abi/hash.js";
import { type MadeRoute, RouteCache } from "../4-plan/route-cache.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { PersistentFileCache } from "../compilation/persistent-file-cache.js";
import type { FileHash } from "../model/emit-target.js";
import type { Plan } from "../model/plan.js";
import type { SourceText } from "../model/source.js";

/** Compiled files of a route, and the inputs of its module's source map. */
interface MadeFiles extends MadeRoute {
  map?: FileHash;
  /** Configuration files that the map names. */
  sources?: readonly string[];
}

/** Data that a build leaves for the next one of the same directory; plain data except for `files`. */
export interface BuildCacheEntry {
  /** Identity of the compiler that wrote the entry: another compiler ignores it. */
  maker: string;
  /** SHA-256 of the configuration files. */
  sources: Readonly<Record<string, string>>;
  /** Routes in the order of the plan; `key` is absent for a route that is planned each time. */
  routes: readonly { id: string; key?: string; made: MadeFiles }[];
  /** Skeletons of modules that passed the type check of a checker (`checkerHash`), newest first. */
  shapes?: { checker: string; names: readonly string[] } | undefined;
  /** Results of reading files, as JSON (`PersistentFileCache`). */
  files: ReadonlyMap<string, string>;
}

/** Maximum number of skeletons; 20,000 routes have some hundred. */
const MAX_SKELETONS = 5_000;

/** Cache of the build that is replaced, and the entry for the next build. */
export class BuildCache {
  readonly routes: RouteCache<MadeFiles>;
  readonly files: PersistentFileCache;
  readonly #maker: string;
  readonly #sources: Record<string, string>;
  readonly #entry: BuildCacheEntry | undefined;
  readonly #byId: ReadonlyMap<string, BuildCacheEntry["routes"][number]>;
  #shapes: BuildCacheEntry["shapes"];
  readonly #maps = new Map<string, Pick<MadeFiles, "map" | "sources">>();

  /** @param maker hash of the code, and of the directories that relative file names refer to */
  constructor(maker: string, sources: readonly SourceText[], kept?: BuildCacheEntry) {
    this.#maker = maker;
    const hashes = new Map(sources.map((source) => [source, sha256(source.text)]));
    this.#sources = Object.fromEntries([...hashes].map(([{ name }, hash]) => [name, hash]));
    this.#entry = kept?.maker === maker ? kept : undefined;
    this.files = new PersistentFileCache(
      (source) => hashes.get(source) ?? sha256(source.text),
      this.#entry?.files,
    );
    const routes = this.#entry?.routes ?? [];
    this.#byId = new Map(routes.map((route) => [route.id, route]));
    this.routes = new RouteCache(
      new Map(routes.flatMap(({ key, made }) => (key === undefined ? [] : [[key, made] as const]))),
    );
  }

  /** Reports whether the last build left no entry. */
  get isEmpty(): boolean {
    return this.#entry === undefined;
  }

  /** Reports whether the last build had the same configuration files. */
  get isOfSameSources(): boolean {
    return this.#entry !== undefined && isDeepStrictEqual(this.#entry.sources, this.#sources);
  }

  /** Skeletons that passed this checker. */
  skeletons(checker: string): ReadonlySet<string> {
    const kept = this.#entry?.shapes;
    this.#shapes = { checker, names: kept?.checker === checker ? kept.names : [] };
    return new Set(this.#shapes.names);
  }

  /** Adds skeletons that passed the checker, for the next build. */
  addSkeletons(names: Iterable<string>): void {
    if (this.#shapes === undefined) return;
    const all = new Set([...names, ...this.#shapes.names]);
    this.#shapes = { ...this.#shapes, names: [...all].slice(0, MAX_SKELETONS) };
  }

  /** Cached source map of an unchanged module, if every configuration file that it names is unchanged. */
  map(moduleId: string): FileHash | undefined {
    const route = this.#same(moduleId.replace(/^route:/, ""));
    const { map, sources = [] } = route?.made ?? {};
    if (!sources.every((name) => this.#entry?.sources[name] === this.#sources[name])) return undefined;
    if (map !== undefined) this.#maps.set(moduleId, { map, sources });
    return map;
  }

  /** Stores the map of a module, and the configuration files that it names, for the next build. */
  learnMap(moduleId: string, map: FileHash, sources: readonly string[]): void {
    this.#maps.set(moduleId, { map, sources });
  }

  /** Entry for the next build. @param marks hashes and sizes of every file */
  kept(
    { routes }: Plan,
    modules: readonly GeneratedModule[],
    marks: ReadonlyMap<string, FileHash>,
  ): BuildCacheEntry {
    const byUnit = new Map(modules.map((module) => [module.text.moduleId, module]));
    const entries = routes.map(({ row }) => {
      const module = row.moduleId === null ? undefined : byUnit.get(row.moduleId);
      const typescript = marks.get(module?.path ?? "");
      const made: MadeFiles = {
        ...{ pipeline: module?.pipeline ?? null, hasMatch: row.hasMatch },
        ...(module && typescript && { texts: { typescript: bare(typescript), loadable: module.text.hash } }),
        ...(row.moduleId !== null && this.#maps.get(row.moduleId)),
      };
      const key = this.routes.keys.get(row.id);
      return { id: row.id, ...(key !== undefined && { key }), made };
    });
    return {
      ...{ maker: this.#maker, sources: this.#sources, routes: entries },
      ...{ shapes: this.#shapes ?? this.#entry?.shapes, files: this.files.lines },
    };
  }

  /** Cached entry of a route, if the inputs of its plan are the same. */
  #same(id: string): BuildCacheEntry["routes"][number] | undefined {
    const kept = this.#byId.get(id);
    return kept?.key !== undefined && kept.key === this.routes.keys.get(id) ? kept : undefined;
  }
}

const bare = ({ hash, size }: FileHash): FileHash => ({ hash, size });
