import { canonicalHash } from "../../runtime/abi/hash.js";
import { isAdvice } from "../diagnostics/advice.js";
import type { ModuleMarks } from "../emit-target.js";
import type { ResolvedPlugin, ResolvedRoute } from "../resolve/resolved.js";
import { configPath } from "./config-path.js";
import { plannedRoute } from "./parts.js";
import type { PlannedPipeline } from "./plan.js";
import type { PlanSettings } from "./plan-settings.js";
import { routerRow } from "./router-row.js";
import { SecretKeeper } from "./secret.js";

/** What an earlier compile made of a route. */
export interface MadeRoute {
  /** Hash of its pipeline; null: it has none. */
  pipeline: string | null;
  hasMatch: boolean;
  /** Of its module; absent without one. */
  texts?: ModuleMarks;
}

/**
 * Routes that need no plan again: whatever is resolved to the same is planned to the same. Their pipelines stay what they are, plain
 * data, but for being planned only when somebody looks into them.
 */
export class RouteCache<Made extends MadeRoute = MadeRoute> {
  /** By id, of the routes that have been planned without a finding but for advice, and without a secret of their own. */
  readonly keys: Map<string, string> = new Map();
  readonly #known: ReadonlyMap<string, Made>;
  readonly #made = new WeakMap<object, Made>();

  /** @param known by key */
  constructor(known: ReadonlyMap<string, Made> = new Map()) {
    this.#known = known;
  }

  /** What is known of a pipeline that has not been planned again. */
  made(pipeline: object): Made | undefined {
    return this.#made.get(pipeline);
  }

  /** In the place of `plannedRoute`. */
  readonly plan: typeof plannedRoute = (route, report, secrets = new SecretKeeper(), settings) => {
    const key = keyOf(route, settings);
    const made = this.#known.get(key);
    if (made !== undefined) {
      this.keys.set(route.id, key);
      return this.#remembered(route, made, settings);
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

  #remembered(route: ResolvedRoute, made: Made, settings?: PlanSettings): ReturnType<typeof plannedRoute> {
    const origin = configPath({ kind: "routes", id: route.id });
    const row = routerRow(route);
    if (made.pipeline === null) return { row, origin, pipeline: null };
    const moduleId = `route:${route.id}`;
    const plan = () => plannedRoute(route, () => {}, new SecretKeeper(), settings).pipeline;
    const pipeline = plannedLater({ kind: "route", id: route.id, origin }, plan);
    this.#made.set(pipeline, made);
    return { row: { ...row, moduleId, hasMatch: made.hasMatch }, origin, pipeline };
  }
}

/** A pipeline whose name is known and whose content is planned at the first look. */
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

/** Everything that a plan depends on, in the order in which it is written, which headers keep; places apart. */
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
