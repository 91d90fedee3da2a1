import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../runtime/abi/hash.js";
import { readRegularText } from "../../runtime/abi/regular-file.js";
import type { GeneratedModule } from "../emit/typescript.js";
import type { FileMark } from "../emit-target.js";
import { PersistentFileCache } from "../incremental/persistent-file-cache.js";
import type { SourceText } from "../parse/source.js";
import type { Plan } from "../plan/plan-document.js";
import { type MadeRoute, RouteCache } from "../plan/route-cache.js";
import { type Item, readLines } from "./delta-encode.js";

/** What a build has made of a route, and what the source map of its module was made from. */
interface MadeFiles extends MadeRoute {
  map?: FileMark;
  /** Configuration files that the map leads to. */
  sources?: readonly string[];
}

/** What a build leaves for the next one of the same directory; plain data but for `files`. */
export interface BuildCacheEntry {
  /** Name of what made it: another compiler knows nothing by it. */
  maker: string;
  /** Hashes of the configuration files. */
  sources: Readonly<Record<string, string>>;
  /** Hashes of the files with a line for each route, by name. */
  lists: Readonly<Record<string, string>>;
  /** In the order of the plan; `key` is absent of one that is planned each time. */
  routes: readonly { id: string; key?: string; made: MadeFiles }[];
  /** Shapes of modules that have passed the type check of a checker (`checkerHash`), newest first. */
  shapes?: { checker: string; names: readonly string[] } | undefined;
  /** What reading gave of files, as JSON (`PersistentFileCache`). */
  files: ReadonlyMap<string, string>;
}

/** Files of a build with a line for each route, in the order of the plan. */
const LISTS_OF_ROUTES = ["plan.json", "gateway.json"] as const;
type ListOfRoutes = (typeof LISTS_OF_ROUTES)[number];

/** Of 20,000 routes there are some hundred. */
const MAX_SHAPES = 5_000;

/** What is known of the build that is replaced, and what is learnt for the next one. */
export class BuildCache {
  readonly routes: RouteCache<MadeFiles>;
  readonly files: PersistentFileCache;
  readonly #maker: string;
  readonly #sources: Record<string, string>;
  readonly #kept: BuildCacheEntry | undefined;
  readonly #byId: ReadonlyMap<string, BuildCacheEntry["routes"][number]>;
  #shapes: BuildCacheEntry["shapes"];
  readonly #maps = new Map<string, Pick<MadeFiles, "map" | "sources">>();

  /** @param maker hash of the code, and of the directories that files are named from */
  constructor(maker: string, sources: readonly SourceText[], kept?: BuildCacheEntry) {
    this.#maker = maker;
    const hashes = new Map(sources.map((source) => [source, sha256(source.text)]));
    this.#sources = Object.fromEntries([...hashes].map(([{ name }, hash]) => [name, hash]));
    this.#kept = kept?.maker === maker ? kept : undefined;
    this.files = new PersistentFileCache(
      (source) => hashes.get(source) ?? sha256(source.text),
      this.#kept?.files,
    );
    const routes = this.#kept?.routes ?? [];
    this.#byId = new Map(routes.map((route) => [route.id, route]));
    this.routes = new RouteCache(
      new Map(routes.flatMap(({ key, made }) => (key === undefined ? [] : [[key, made] as const]))),
    );
  }

  /** Whether the last build has left anything. */
  get isEmpty(): boolean {
    return this.#kept === undefined;
  }

  /** Whether that build was made from the same files. */
  get isOfSameSources(): boolean {
    return this.#kept !== undefined && isDeepStrictEqual(this.#kept.sources, this.#sources);
  }

  /** Shapes that have passed this checker. */
  shapes(checker: string): ReadonlySet<string> {
    const kept = this.#kept?.shapes;
    this.#shapes = { checker, names: kept?.checker === checker ? kept.names : [] };
    return new Set(this.#shapes.names);
  }

  /** For the next build: these have passed as well. */
  learnShapes(names: Iterable<string>): void {
    if (this.#shapes === undefined) return;
    const all = new Set([...names, ...this.#shapes.names]);
    this.#shapes = { ...this.#shapes, names: [...all].slice(0, MAX_SHAPES) };
  }

  /** Of the source map of a module whose texts are known, as long as every file that it leads to is the same. */
  map(moduleId: string): FileMark | undefined {
    const route = this.#same(moduleId.replace(/^route:/, ""));
    const { map, sources = [] } = route?.made ?? {};
    if (!sources.every((name) => this.#kept?.sources[name] === this.#sources[name])) return undefined;
    if (map !== undefined) this.#maps.set(moduleId, { map, sources });
    return map;
  }

  /** For the next build: the map of a module, and the configuration files that it leads to. */
  learnMap(moduleId: string, map: FileMark, sources: readonly string[]): void {
    this.#maps.set(moduleId, { map, sources });
  }

  /**
   * Lines of such a file of the old build by id, of the routes that are planned as they were; none where it is another file.
   * @param target where the old build is
   */
  lines(target: string, file: ListOfRoutes): ReadonlyMap<string, Item> {
    if (this.#kept === undefined) return new Map();
    try {
      const text = readRegularText(join(target, file));
      if (sha256(text) !== this.#kept.lists[file]) return new Map();
      const lines = text.split("\n");
      const first = lines.indexOf('"routes": [') + 1;
      const ids = this.#kept.routes.map(({ id }) => id);
      const written = ids.map((_, i) => (lines[first + i] ?? "").replace(/^ {2}|,$/g, ""));
      const items = readLines(written, ids, (id) => this.#same(id) !== undefined);
      return new Map(
        items.flatMap((item): [string, Item][] => (this.#same(item.name) ? [[item.name, item]] : [])),
      );
    } catch {
      return new Map();
    }
  }

  /** What the next build may know. @param marks of every file */
  kept(
    { routes }: Plan,
    modules: readonly GeneratedModule[],
    marks: ReadonlyMap<string, FileMark>,
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
    const lists = Object.fromEntries(LISTS_OF_ROUTES.map((file) => [file, marks.get(file)?.hash ?? ""]));
    return {
      ...{ maker: this.#maker, sources: this.#sources, lists, routes: entries },
      ...{ shapes: this.#shapes ?? this.#kept?.shapes, files: this.files.lines },
    };
  }

  /** The kept route, where it is planned from the same. */
  #same(id: string): BuildCacheEntry["routes"][number] | undefined {
    const kept = this.#byId.get(id);
    return kept?.key !== undefined && kept.key === this.routes.keys.get(id) ? kept : undefined;
  }
}

const bare = ({ hash, size }: FileMark): FileMark => ({ hash, size });
