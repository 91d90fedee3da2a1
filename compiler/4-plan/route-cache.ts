import { canonicalHash } from "../../runtime/abi/hash.js";
import { isAdvice } from "../diagnostics/report.js";
import { configPath } from "../model/config-path.js";
import type { ModuleMarks } from "../model/emit-target.js";
import type { PlannedPipeline } from "../model/plan.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type { ResolvedPlugin, ResolvedRoute } from "../model/resolved.js";
import { plannedRoute, routerRow } from "./parts.js";
import { SecretKeeper } from "./secret.js";

/** Result of an earlier compile of a route. */
export interface MadeRoute {
  /** Hash of its pipeline; null if it has none. */
  pipeline: string | null;
  hasMatch: boolean;
  /** Marks of its module; absent without one. */
  texts?: ModuleMarks;
}

/**
 * Cache of routes that need no new plan: equal resolved routes have equal plans. Their pipelines are still
 * plain data, but are planned only when they are read.
 */
export class RouteCache<Made extends MadeRoute = MadeRoute> {
  /**
   * Cache keys by id, of routes planned without a diagnostic other than advice and without a secret of their
   * own.
   */
  readonly keys: Map<string, string> = new Map();
  readonly #previous: ReadonlyMap<string, Made>;
  readonly #cached = new WeakMap<object, Made>();

  /** @param known results by key */
  constructor(known: ReadonlyMap<string, Made> = new Map()) {
    this.#previous = known;
  }

  /** Returns the cached result for a pipeline that has not been planned again. */
  made(pipeline: object): Made | undefined {
    return this.#cached.get(pipeline);
  }

  /** Replaces `plannedRoute`. */
  readonly plan: typeof plannedRoute = (route, report, secrets = new SecretKeeper(), settings) => {
    const key = keyOf(route, settings);
    const made = this.#previous.get(key);
    if (made !== undefined) {
      this.keys.set(route.id, key);
      return this.#fromCache(route, made, settings);
    }
    const { size } = secrets.values;
    let isQuiet = true;
    const noticed: typeof report = (finding) => {
      isQuiet &&= isAdvice(finding);
      report(finding);
    };
    const planned = plannedRoute(route, noticed, secrets, settings);
    if (isQuiet && secrets.values.size === size) this.keys.set(route.id, key);
    return planned;
  };

  #fromCache(route: ResolvedRoute, made: Made, settings?: PlanSettings): ReturnType<typeof plannedRoute> {
    const origin = configPath({ kind: "routes", id: route.id });
    const row = routerRow(route);
    if (made.pipeline === null) return { row, origin, pipeline: null };
    const moduleId = `route:${route.id}`;
    const plan = () => plannedRoute(route, () => {}, new SecretKeeper(), settings).pipeline;
    const pipeline = plannedLater({ kind: "route", id: route.id, origin }, plan);
    this.#cached.set(pipeline, made);
    return { row: { ...row, moduleId, hasMatch: made.hasMatch }, origin, pipeline };
  }
}

/** Returns a pipeline with a known name whose content is planned when it is first read. */
function plannedLater(
  name: Pick<PlannedPipeline, "kind" | "id" | "origin">,
  plan: () => PlannedPipeline | null,
): PlannedPipeline {
  let planned: PlannedPipeline | undefined;
  const whole = () => (planned ??= plan() ?? { ...name, title: "", match: null, steps: [] });
  return Object.defineProperties({ ...name } as PlannedPipeline, {
    title: { enumerable: true, get: () => whole().title },
    match: { enumerable: true, get: () => whole().match },
    resources: { enumerable: true, get: () => whole().resources },
    credentials: { enumerable: true, get: () => whole().credentials },
    steps: { enumerable: true, get: () => whole().steps },
  });
}

/**
 * Returns the cache key: everything that a plan depends on except spans. Order counts, since headers keep it.
 */
function keyOf({ vars, plugins, consumers, ...rest }: ResolvedRoute, settings: unknown): string {
  return canonicalHash(
    JSON.stringify([
      ...[rest, vars?.value, plugins.map(writtenPlugin)],
      consumers?.map(({ plugins: held, ...consumer }) => [consumer, held.map(writtenPlugin)]),
      settings,
    ]),
  );
}

const writtenPlugin = ({ name, owner, config }: ResolvedPlugin) => [name, owner.kind, owner.id, config.value];
