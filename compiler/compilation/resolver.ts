import type { BuiltResource } from "../../runtime/abi/build-files.js";
import type { UpstreamTable } from "../../runtime/abi/generation.js";
import { checkCombinations } from "../3-resolve/combinations.js";
import { checkConsumers } from "../3-resolve/consumers.js";
import { checkPartialDuplicates, idSpan } from "../3-resolve/duplicates.js";
import { checkGlobalRules, resolveGlobalRule } from "../3-resolve/global-rule.js";
import { type Absence, Inventory } from "../3-resolve/inventory.js";
import { checkPriorities } from "../3-resolve/priorities.js";
import { type MatchFields, matchFields, Reachability } from "../3-resolve/reachability.js";
import { references, referredKinds } from "../3-resolve/reference.js";
import { type RouteResolution, resolveRoute, resolveService } from "../3-resolve/route.js";
import { shadowDiagnostics } from "../3-resolve/shadows.js";
import { asStandaloneRoute, checkPartialResources } from "../3-resolve/standalone-route.js";
import { STORED_ORDER, tieOrders } from "../3-resolve/ties.js";
import { checkUnused } from "../3-resolve/unused.js";
import { resolveUpstream } from "../3-resolve/upstream.js";
import type { PluginsValue, RouteValue, ServiceValue } from "../3-resolve/values.js";
import { tableOwners } from "../certificates/table.js";
import type { DiagnosticCollector } from "../diagnostics/collector.js";
import type { Report } from "../model/diagnostic.js";
import type { Change } from "../model/input.js";
import type { ResolveContext, ResolvedGlobalRule, ResolvedRoute } from "../model/resolved.js";
import { type Kind, kinds, type Resource } from "../model/resource.js";
import { type Affected, ALONE, addAffected, addAuthenticating, nothingAffected } from "./affected.js";
import { storedSpans } from "./frontend.js";
import type { Journal } from "./journal.js";
import { DIAGNOSED_AT_USE } from "./uses.js";

const NOTHING: ResolveContext = { answers: () => false, tlsListener: false };

/** Step 3, one resource at a time. */
export class Resolver {
  readonly inventory = new Inventory();
  /** Resources ("routes/1") that authenticate clients and so depend on every consumer. */
  readonly authenticating: Set<string>;
  readonly context: ResolveContext;
  readonly #journal: Journal;
  readonly #reachability: Reachability;
  /** Position of each route of the files, which decides ties. */
  readonly #orders: Map<string, number>;

  constructor(journal: Journal, context: ResolveContext = NOTHING, before?: Resolver) {
    this.#journal = journal;
    this.context = context;
    this.#reachability = new Reachability(before ? before.#reachability : undefined);
    this.#orders = new Map(before ? before.#orders : []);
    this.authenticating = new Set(before?.authenticating);
  }

  put(resource: Resource): void {
    const previous = this.inventory.put(resource);
    this.#journal.record(() => {
      if (previous) this.inventory.put(previous);
      else this.inventory.remove(resource.kind, resource.id);
    });
  }

  remove(kind: Kind, id: string): void {
    const previous = this.inventory.remove(kind, id);
    if (previous) this.#journal.record(() => this.inventory.put(previous));
  }

  setAbsence(kind: Kind, id: string, absence: Absence | undefined): void {
    const previous = this.inventory.setAbsence(kind, id, absence);
    this.#journal.record(() => this.inventory.setAbsence(kind, id, previous));
  }

  fill(
    resources: readonly Resource[],
    absences: readonly { kind: Kind; id: string; absence: Absence }[] = [],
    built: readonly BuiltResource[] = [],
  ): void {
    for (const resource of resources) this.inventory.put(resource);
    for (const { kind, id, absence } of absences) this.inventory.setAbsence(kind, id, absence);
    for (const { id, order } of built) if (order !== undefined) this.#orders.set(id, order);
  }

  /** Records former spans, for diagnostics about references that a reload breaks. */
  noteFormerPlaces(before: Inventory): void {
    for (const kind of referredKinds())
      for (const resource of before.all(kind).values())
        if (resource.from !== "store" && !this.inventory.absence(kind, resource.id))
          this.inventory.setAbsence(kind, resource.id, { was: idSpan(resource) });
  }

  /** Drops the texts of written resources, which only diagnostics of the write need; the values stay. */
  forgetTexts(changes: readonly Change[]): void {
    for (const change of changes) {
      if (!("put" in change)) continue;
      const { kind, id } = change.put;
      const resource = this.inventory.get(kind, id);
      if (resource) this.inventory.put({ ...resource, spans: storedSpans(kind, id) });
    }
  }

  /** Finds resources that differ from `before`, or all except those of a build. */
  affected(before: Resolver | undefined): Affected {
    const affected = before ? this.#changedSince(before) : this.#everything();
    for (const { name } of tableOwners()) affected.ofPlugins.add(name);
    for (const id of this.renumber()) affected.routes.add(id);
    return affected;
  }

  #everything(): Affected {
    const affected = { ...nothingAffected(), rules: true };
    for (const kind of ALONE)
      for (const [id, { from }] of this.inventory.all(kind)) if (from !== "build") affected[kind].add(id);
    if (this.#authenticatingOfBuild()) addAuthenticating(affected, this.authenticating);
    return affected;
  }

  /** Compares by identity: a moved location is a change too. */
  #changedSince({ inventory }: Resolver): Affected {
    const affected = nothingAffected();
    for (const kind of kinds()) {
      const [before, after] = [inventory.all(kind), this.inventory.all(kind)];
      const changed = (id: string) => {
        addAffected(affected, this.inventory, kind, id, before.has(id) !== after.has(id));
        if (kind === "consumers") addAuthenticating(affected, this.authenticating);
      };
      for (const [id, resource] of after) if (before.get(id) !== resource) changed(id);
      for (const id of before.keys()) if (!after.has(id)) changed(id);
    }
    for (const kind of DIAGNOSED_AT_USE)
      for (const id of this.inventory.all(kind).keys())
        if (inventory.isUsed(kind, id) !== this.inventory.isUsed(kind, id)) affected[kind].add(id);
    return affected;
  }

  /**
   * Records resources of a build that authenticate clients: new consumers recompile them.
   * @returns true if the consumers already differ from the build's
   */
  #authenticatingOfBuild(): boolean {
    const { authenticates } = this.context;
    for (const kind of ["plugin_configs", "services", "routes", "global_rules"] as const)
      for (const resource of this.inventory.all(kind).values()) {
        if (resource.from !== "build") continue;
        const { plugins = {} } = resource.value as PluginsValue;
        const named = references(resource).some((other) =>
          this.authenticating.has(`${other.kind}/${other.id}`),
        );
        if (named || Object.keys(plugins).some((name) => authenticates?.(name)))
          this.authenticating.add(`${kind}/${resource.id}`);
      }
    return [...this.inventory.all("consumers").values()].some(({ from }) => from === "store");
  }

  /** Recomputes ties, which depend on hosts of services. @returns routes whose order has changed */
  renumber(): string[] {
    const moved = [...tieOrders(this.inventory)].filter(([id, order]) => this.#orders.get(id) !== order);
    for (const [id, order] of moved) this.#journal.set(this.#orders, id, order);
    for (const id of this.#orders.keys())
      if (!this.inventory.get("routes", id)) this.#journal.set(this.#orders, id, undefined);
    return moved.map(([id]) => id);
  }

  route(id: string, report: Report): RouteResolution | undefined {
    const resource = this.inventory.get("routes", id) as Resource<RouteValue> | undefined;
    const order = this.#orders.get(id) ?? STORED_ORDER;
    const resolved = resource && resolveRoute(resource, order, this.inventory, this.context, report);
    this.setAuthenticating("routes", id, resolved?.route.consumers !== undefined);
    this.#setMatch(id, resolved?.enabled ? matchFields(resolved.route) : undefined);
    return resolved;
  }

  upstream(id: string, report: Report): UpstreamTable | undefined {
    const upstream = this.inventory.get("upstreams", id);
    return upstream && resolveUpstream(upstream, report);
  }

  service(id: string, report: Report): UpstreamTable | undefined {
    const service = this.inventory.get("services", id) as Resource<ServiceValue> | undefined;
    return service && resolveService(service, this.inventory, this.context, report);
  }

  /** Returns the form of a route, so that the plugins can be checked. */
  standalone(kind: "services" | "plugin_configs", id: string): ResolvedRoute | undefined {
    const resource = this.inventory.get(kind, id);
    const alone = resource && asStandaloneRoute(resource, this.inventory, this.context);
    this.setAuthenticating(kind, id, alone?.consumers !== undefined);
    return alone;
  }

  rules(report: Report): ResolvedGlobalRule[] {
    const rules = [...this.inventory.all("global_rules").values()].map((rule) =>
      resolveGlobalRule(rule, this.inventory, this.context),
    );
    checkGlobalRules(rules, report);
    return rules;
  }

  partial(partial: readonly Resource[], report: Report): ResolvedRoute[] {
    checkPartialDuplicates(partial, this.inventory, report);
    return checkPartialResources(partial, this.inventory, this.context, report);
  }

  /** Reports diagnostics that need the whole configuration. */
  reportWhole(findings: DiagnosticCollector): void {
    const { inventory, context } = this;
    const { report } = findings;
    const authenticated = [...this.authenticating].some((name) => this.#isLive(name));
    checkConsumers(inventory, context, report);
    checkUnused(inventory, context, authenticated, report);
    const routes = inventory.all("routes");
    checkCombinations(routes.values(), inventory, context, report);
    if (!context.incomplete) checkPriorities(inventory, report);
    for (const [id, { from }] of routes) if (from !== "build") this.#reportShadow(id, findings);
  }

  /** Reports whether requests can reach the resource ("routes/1") that authenticates them. */
  #isLive(name: string): boolean {
    if (!name.startsWith("routes/")) return name.startsWith("global_rules/");
    const id = name.slice("routes/".length);
    return this.inventory.get("routes", id)?.from === "build" || this.#reachability.get(id) !== undefined;
  }

  /** Checks affected resources with those they use; routes report their upstreams'. */
  reportCombinations(
    { routes, upstreams, services, consumers }: Affected,
    { report }: DiagnosticCollector,
  ): void {
    checkConsumers(this.inventory, this.context, report, consumers);
    const ids = new Set(routes);
    const add = (kind: Kind, id: string) => {
      for (const user of this.inventory.users(kind, id))
        if (user.kind === "routes") ids.add(user.id);
        else if (user.kind === "services") add("services", user.id);
    };
    for (const id of upstreams) add("upstreams", id);
    for (const id of services) add("services", id);
    const changed = [...ids].flatMap((id) => this.inventory.get("routes", id) ?? []);
    checkCombinations(changed, this.inventory, this.context, report);
  }

  reportShadows(id: string, findings: DiagnosticCollector): void {
    this.#reportShadow(id, findings);
    const fields = this.#reachability.get(id);
    for (const other of fields ? this.#reachability.competitors(fields) : [])
      this.#reportShadow(other.id, findings, id);
  }

  /** @param by only if that route is among the causes */
  #reportShadow(id: string, findings: DiagnosticCollector, by?: string): void {
    const fields = this.#reachability.get(id);
    if (fields) findings.addAll(shadowDiagnostics(fields, this.#reachability, this.inventory, by));
  }

  setAuthenticating(kind: Kind, id: string, does: boolean): void {
    const name = `${kind}/${id}`;
    const did = this.authenticating.has(name);
    if (did === does) return;
    const set = (value: boolean) =>
      value ? this.authenticating.add(name) : this.authenticating.delete(name);
    set(does);
    this.#journal.record(() => set(did));
  }

  #setMatch(id: string, fields: MatchFields | undefined): void {
    const previous = fields ? this.#reachability.put(fields) : this.#reachability.remove(id);
    this.#journal.record(() => {
      if (previous) this.#reachability.put(previous);
      else this.#reachability.remove(id);
    });
  }
}
