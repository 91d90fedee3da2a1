import { canonicalJson } from "../../runtime/abi/hash.js";
import type { PlannedRoute } from "../4-plan/parts.js";
import type { Plan } from "../model/plan.js";
import { actionConstraints } from "./action-constraints.js";
import { type Example, type TrafficChange, type TrafficDiff, worst } from "./change.js";
import { confirmed, withCredentials } from "./confirm.js";
import { actionDetails, type Details, detailsOf, fieldDetails, matchingLines, outlineOf } from "./details.js";
import { ComparedPlan, trafficEffect } from "./effect.js";
import { haveSwappedOrder, isFirst, isTriedBefore, mayShare } from "./overlap.js";
import { routeConstraints } from "./route-constraints.js";
import { type Forms, type Moved, RouteSearch } from "./route-search.js";
import { buildSample, merged, type SampleConstraints } from "./sample-constraints.js";
import { sharedChanges } from "./shared.js";
import type { DiffSimulator, SampleRequest } from "./simulator.js";

const REQUESTS = 3;
/** Routes between two reports of progress. */
const TOLD_EACH = 100;

/**
 * Settings only guide the search: every reported difference in responses was observed in both simulations.
 * @param told receives the progress: "comparing 2000 routes: 100 done"
 */
export async function diffTraffic(
  before: Plan,
  after: Plan,
  trial: DiffSimulator,
  told: (done: string) => void = () => {},
): Promise<TrafficDiff> {
  const comparison = new Comparison(new ComparedPlan(before), new ComparedPlan(after), trial, told);
  const changes = [
    ...(await sharedChanges(comparison.old, comparison.fresh, trial)),
    ...(await comparison.changes()),
  ];
  return {
    severity: worst(changes.map(({ severity }) => severity)),
    changes,
    unchanged: comparison.unchanged,
  };
}

class Comparison {
  readonly old: ComparedPlan;
  readonly fresh: ComparedPlan;
  readonly #trial: DiffSimulator;
  readonly #onDone: (done: string) => void;
  readonly #ids: readonly string[];
  readonly #renamed: ReadonlyMap<string, string>;
  readonly #newNames: ReadonlySet<string>;
  readonly #same: ReadonlySet<string>;
  unchanged = 0;

  constructor(old: ComparedPlan, fresh: ComparedPlan, trial: DiffSimulator, told: (done: string) => void) {
    this.old = old;
    this.fresh = fresh;
    this.#trial = trial;
    this.#onDone = told;
    this.#ids = [...new Set([...old.routes.keys(), ...fresh.routes.keys()])].sort();
    this.#same = new Set(this.#ids.filter((id) => fresh.isSame(id, old)));
    this.#renamed = renamedRoutes(old, fresh);
    this.#newNames = new Set(this.#renamed.values());
  }

  async changes(): Promise<TrafficChange[]> {
    const takers = this.#search();
    const examples = new Map<Moved, Example | null>();
    for (const one of takers.moved)
      examples.set(one, await confirmed(this.#trial, withCredentials(this.#trial, one.probes)));
    const found: TrafficChange[] = [];
    for (const [done, id] of this.#ids.entries()) {
      this.#tell("comparing", done, this.#ids.length);
      const own = await this.#ofRoute(id, takers, examples);
      if (own.length === 0) this.unchanged++;
      found.push(...own);
    }
    return found;
  }

  #tell(what: string, done: number, all: number): void {
    if (done > 0 && done % TOLD_EACH === 0) this.#onDone(`${what} ${all} routes: ${done} done`);
  }

  #forms(id: string): Forms {
    return { before: this.old.routes.get(id), after: this.fresh.routes.get(id) };
  }

  #search(): RouteSearch {
    const touched = this.#ids.filter((id) => {
      const { before, after } = this.#forms(id);
      if (this.#same.has(id)) return false;
      if (before === undefined || after === undefined) return true;
      return before.row.order !== after.row.order || this.old.matching(before) !== this.fresh.matching(after);
    });
    const all = [...this.fresh.routes.values(), ...touched.flatMap((id) => this.old.routes.get(id) ?? [])];
    const takers = new RouteSearch(this.#trial, all, touched.length);
    for (const [done, id] of touched.entries()) {
      this.#tell("searching requests of", done, touched.length);
      takers.search(id, this.#forms(id));
    }
    return takers;
  }

  async #ofRoute(
    id: string,
    takers: RouteSearch,
    examples: ReadonlyMap<Moved, Example | null>,
  ): Promise<TrafficChange[]> {
    const { before, after } = this.#forms(id);
    const [lost, won] = [takers.lost.get(id) ?? [], takers.won.get(id) ?? []];
    const isUnsearched = takers.unsearched.has(id);
    const example = (pairs: readonly Moved[]) =>
      pairs.map((pair) => examples.get(pair) ?? null).find((one) => one !== null) ?? null;
    const note = isUnsearched ? UNSEARCHED : {};
    if (before === undefined && after !== undefined) {
      if (this.#newNames.has(id)) return [];
      const details = { removed: [], added: [...matchingLines(after), ...outlineOf(after, this.fresh)] };
      const fromNobody = won.filter(({ from }) => from === null);
      const takes = won.some((pair) => pair.from !== null && example([pair]) !== null);
      const may = isUnsearched || this.#mayTakeFromOthers(id, after, takers);
      const severity = takes || may ? "changed" : "additive";
      const found = example([...fromNobody, ...won]);
      return [{ kind: "new", severity, subject: id, details, example: found, ...note }];
    }
    if (before === undefined) return [];
    if (after === undefined) {
      const to = this.#renamed.get(id);
      if (to !== undefined) {
        const own = example(lost);
        const severity = own === null && !this.old.tellsId(before) ? "none" : "changed";
        return [{ kind: "renamed", severity, subject: id, to, details: NOTHING, example: own }];
      }
      const details = { removed: [...matchingLines(before), ...outlineOf(before, this.old)], added: [] };
      return [{ kind: "gone", severity: "changed", subject: id, details, example: example(lost), ...note }];
    }
    const matching = this.#matchingChange(id, [...lost, ...won], example, takers);
    const elsewhere = lost.flatMap((pair) => this.#precedence(pair, examples.get(pair) ?? null));
    const places = this.#changedPlaces(id, takers);
    return [...matching, ...elsewhere, ...places, ...(await this.#actions(id))];
  }

  /** Another route may lose requests to this one: it overlaps and did not always precede it. */
  #mayTakeFromOthers(id: string, after: PlannedRoute, takers: RouteSearch): boolean {
    const others = [...(takers.overlapping.get(id) ?? [])].flatMap(
      (other) => this.old.routes.get(other) ?? [],
    );
    return others.some((other) => mayShare(other, after) && !isTriedBefore(other, after));
  }

  /** Changes of precedence without an example: routes that came after this one and precede it now. */
  #changedPlaces(id: string, takers: RouteSearch): TrafficChange[] {
    const { before, after } = this.#forms(id);
    if (before === undefined || after === undefined) return [];
    const isShown = (from: string, to: string) =>
      takers.lost.get(from)?.some((pair) => pair.to === to) === true;
    return [...(takers.overlapping.get(id) ?? [])].flatMap((other): TrafficChange[] => {
      const forms = this.#forms(other);
      if (forms.before === undefined || forms.after === undefined || !isFirst(before, forms.before))
        return [];
      const changed = haveSwappedOrder([before, forms.before], [after, forms.after]);
      if (!changed || isShown(id, other) || this.old.actions(before) === this.fresh.actions(forms.after))
        return [];
      return [
        { kind: "precedence", severity: "changed", subject: id, to: other, details: NOTHING, example: null },
      ];
    });
  }

  #precedence({ from, to }: Moved, example: Example | null): TrafficChange[] {
    if (from === null || to === null) return [];
    const [loser, winner] = [this.old.routes.get(from), this.fresh.routes.get(to)];
    if (loser === undefined || winner === undefined) return [];
    const doesTheSame = example === null && this.old.actions(loser) === this.fresh.actions(winner);
    const severity = doesTheSame ? "none" : "changed";
    return [{ kind: "precedence", severity, subject: from, to, details: NOTHING, example }];
  }

  #matchingChange(
    id: string,
    pairs: readonly Moved[],
    example: (pairs: readonly Moved[]) => Example | null,
    takers: RouteSearch,
  ): TrafficChange[] {
    const { before, after } = this.#forms(id);
    if (before === undefined || after === undefined || this.#same.has(id)) return [];
    if (this.old.matching(before) === this.fresh.matching(after)) return [];
    const lines = detailsOf(matchingLines(before), matchingLines(after));
    const details = isEmpty(lines) ? fieldDetails(before.row, after.row) : lines;
    const found = example([...pairs.filter(({ to }) => to === null), ...pairs]);
    const takesNothing = pairs.every(({ from }) => from === null);
    const isUnsearched = takers.unsearched.has(id);
    const may = isUnsearched || this.#mayTakeFromOthers(id, after, takers);
    const isAdditive = takesNothing && !may && isWider(before, after);
    const severity = isAdditive ? "additive" : "changed";
    const note = isUnsearched ? UNSEARCHED : {};
    return [{ kind: "matching", severity, subject: id, details, example: found, ...note }];
  }

  async #actions(id: string): Promise<TrafficChange[]> {
    const { before, after } = this.#forms(id);
    if (before === undefined || after === undefined || this.#same.has(id)) return [];
    if (this.old.actions(before) === this.fresh.actions(after)) return [];
    const details = actionDetails(before, after, this.old, this.fresh);
    const example = await confirmed(this.#trial, withCredentials(this.#trial, this.#actionProbes(id)));
    return [{ kind: "actions", severity: "changed", subject: id, details, example }];
  }

  /** Requests that reach this route on both sides, with values for its changed steps. */
  *#actionProbes(id: string): Generator<SampleRequest> {
    const { before, after } = this.#forms(id);
    if (before === undefined || after === undefined) return;
    const variations = actionConstraints(before.pipeline, after.pipeline);
    const isOurs = (facts: SampleConstraints) => {
      const probe = buildSample(facts);
      return (["before", "after"] as const).every((which) => this.#trial.match(which, probe) === id);
    };
    const requests = [...routeConstraints(after, before), ...routeConstraints(before, after)]
      .filter(isOurs)
      .slice(0, REQUESTS);
    for (const request of requests)
      for (const facts of variations) {
        const varied = merged(request, facts);
        const whole = isOurs(varied) ? varied : merged(varied, request);
        if (isOurs(whole)) yield buildSample(whole);
      }
  }
}

const UNSEARCHED = { note: "not all requests that other routes may take as well were tried" };
const NOTHING: Details = { removed: [], added: [] };
const isEmpty = ({ removed, added }: Details) => removed.length === 0 && added.length === 0;

/** Finds new ids of routes with the same matching and actions, by old ones. */
function renamedRoutes(old: ComparedPlan, fresh: ComparedPlan): Map<string, string> {
  const keyOf = (plan: ComparedPlan, id: string) => {
    const route = plan.routes.get(id);
    return route === undefined ? "" : `${plan.matching(route)} ${plan.actions(route)}`;
  };
  const added = [...fresh.routes.keys()].filter((id) => !old.routes.has(id));
  const byKey = new Map(added.map((id) => [keyOf(fresh, id), id]));
  const renamed = new Map<string, string>();
  for (const id of old.routes.keys()) {
    if (fresh.routes.has(id)) continue;
    const key = keyOf(old, id);
    const to = byKey.get(key);
    if (to === undefined) continue;
    renamed.set(id, to);
    byKey.delete(key);
  }
  return renamed;
}

/** Judges by the lists of the routes whether every request that matched before matches now. */
function isWider(before: PlannedRoute, after: PlannedRoute): boolean {
  const holds = (few: readonly string[], many: readonly string[]) => few.every((item) => many.includes(item));
  const restricts = (few: readonly string[], many: readonly string[]) =>
    many.length === 0 || (few.length > 0 && holds(few, many));
  const [old, fresh] = [before.row, after.row];
  const conditions = [before, after].map(({ pipeline }) =>
    canonicalJson(trafficEffect(pipeline?.match ?? null)),
  );
  return (
    (old.hosts.length === 0) === (fresh.hosts.length === 0) &&
    holds(old.hosts, fresh.hosts) &&
    holds(old.uris, fresh.uris) &&
    restricts(old.methods, fresh.methods) &&
    restricts(old.remoteAddrs, fresh.remoteAddrs) &&
    old.priority === fresh.priority &&
    conditions[0] === conditions[1]
  );
}
