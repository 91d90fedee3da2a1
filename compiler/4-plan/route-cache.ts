import { canonicalHash } from "../../runtime/abi/hash.js";
import { type Cache, jsonStep } from "../cache/cache.js";
import { isAdvice } from "../diagnostics/report.js";
import { configPath } from "../model/config-path.js";
import type { FileHash } from "../model/emit-target.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type { ResolvedPlugin, ResolvedRoute } from "../model/resolved.js";
import { type PlannedRoute, plannedRoute, routerRow } from "./parts.js";
import type { SecretKeeper } from "./secret.js";

/** Files of a route, made by an earlier build. */
export interface CachedRoute {
  /** Hash of the pipeline. */
  pipeline: string;
  hasMatch: boolean;
  typescript: FileHash;
  /** SHA-256, hex, of the form that the runtime loads. */
  loadable: string;
  map: FileHash;
  /** Configuration files that the map names. */
  sources: readonly string[];
}

/** Route whose files an earlier build made. It has no plan, unless all routes are planned. */
export interface UnchangedRoute extends Omit<PlannedRoute, "pipeline"> {
  made: CachedRoute;
  planned?: PlannedRoute;
}

/** Null: the route has no pipeline. */
const ROUTE = jsonStep<CachedRoute | null>("route");

interface RouteCacheOptions {
  /** Reports whether the files of a route can be used again. */
  isUsable(id: string, made: CachedRoute): boolean;
  /** The result needs every plan. */
  needsPlans: boolean;
}

/** Cache of routes that need no new plan and module: equal resolved routes have equal ones. */
export class RouteCache {
  /** Keys by id, of routes planned without a diagnostic other than advice and without a secret of their own. */
  readonly keys: Map<string, string> = new Map();
  readonly #cache: Cache;
  readonly #options: RouteCacheOptions;

  constructor(cache: Cache, options: RouteCacheOptions) {
    this.#cache = cache;
    this.#options = options;
  }

  plan(
    route: ResolvedRoute,
    report: Parameters<typeof plannedRoute>[1],
    secrets: SecretKeeper,
    settings: PlanSettings,
  ): PlannedRoute | UnchangedRoute {
    const key = keyOf(route, settings);
    const made = this.#cache.get(ROUTE, key);
    const origin = configPath({ kind: "routes", id: route.id });
    if (made === null) return { row: routerRow(route), origin, pipeline: null };
    if (made === undefined || !this.#options.isUsable(route.id, made))
      return this.#planned(key, route, report, secrets, settings);
    const row = { ...routerRow(route), moduleId: `route:${route.id}`, hasMatch: made.hasMatch };
    if (!this.#options.needsPlans) return { row, origin, made };
    return { row, origin, made, planned: plannedRoute(route, () => {}, secrets, settings) };
  }

  #planned(key: string, ...given: Parameters<RouteCache["plan"]>): PlannedRoute {
    const [route, report, secrets, settings] = given;
    const { size } = secrets.values;
    let isQuiet = true;
    const noticed: typeof report = (finding) => {
      isQuiet &&= isAdvice(finding);
      report(finding);
    };
    const planned = plannedRoute(route, noticed, secrets, settings);
    if (isQuiet && secrets.values.size === size) this.keys.set(route.id, key);
    if (this.keys.has(route.id) && planned.pipeline === null) this.#cache.set(ROUTE, key, null);
    return planned;
  }

  /** Adds the files of a route, for the next build. */
  add(id: string, made: CachedRoute): void {
    const key = this.keys.get(id);
    if (key !== undefined) this.#cache.set(ROUTE, key, made);
  }
}

/**
 * Returns the cache key: everything that a plan depends on except spans. Order counts, since headers keep it.
 */
function keyOf({ vars, plugins, consumers, ...rest }: ResolvedRoute, settings: PlanSettings): string {
  return canonicalHash(
    JSON.stringify([
      ...[rest, vars?.value, plugins.map(writtenPlugin)],
      consumers?.map(({ plugins: held, ...consumer }) => [consumer, held.map(writtenPlugin)]),
      settings,
    ]),
  );
}

const writtenPlugin = ({ name, owner, config }: ResolvedPlugin) => [name, owner.kind, owner.id, config.value];
