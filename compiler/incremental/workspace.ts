import type { BuiltResource } from "../../runtime/abi/build-files.js";
import type { DiagnosticCollector } from "../diagnostics/collector.js";
import { type GeneratedModule, typescript } from "../emit/typescript.js";
import type { EmitTarget } from "../emit-target.js";
import { storedSpans } from "../frontend.js";
import type { Change } from "../input.js";
import { planMetadata } from "../log/metadata.js";
import { plannedRoute } from "../plan/parts.js";
import { planGlobalRule } from "../plan/pipeline.js";
import { type Plan, planOf } from "../plan/plan-document.js";
import { DEFAULT_SETTINGS, type PlanSettings } from "../plan/plan-settings.js";
import { planTable } from "../plan/plugin-table.js";
import { SecretKeeper } from "../plan/secret.js";
import { locationsBy } from "../plan/source-locations.js";
import { tableOwner, tableOwners } from "../plan/table-owners.js";
import { checkCombinations } from "../resolve/combinations.js";
import { checkConsumers } from "../resolve/consumers.js";
import { checkPartialDuplicates, idSpan } from "../resolve/duplicates.js";
import { checkGlobalRules, resolveGlobalRule } from "../resolve/global-rule.js";
import { resolveUpstream } from "../resolve/index.js";
import { type Absence, Inventory } from "../resolve/inventory.js";
import { checkPartialResources } from "../resolve/partial-resource.js";
import { checkResources } from "../resolve/plugin-resources.js";
import { checkPriorities } from "../resolve/priorities.js";
import { type MatchFields, matchFields, Reachability } from "../resolve/reachability.js";
import { references, referredKinds } from "../resolve/reference.js";
import type { ResolveContext } from "../resolve/resolved.js";
import { type Kind, kinds, type Resource } from "../resolve/resource.js";
import { resolveRoute, resolveService } from "../resolve/route.js";
import { shadowDiagnostics } from "../resolve/shadows.js";
import { asStandaloneRoute } from "../resolve/standalone-route.js";
import { STORED_ORDER, tieOrders } from "../resolve/ties.js";
import { checkUnused } from "../resolve/unused.js";
import type { PluginsValue, RouteValue, ServiceValue } from "../resolve/values.js";
import {
  type Affected,
  ALONE,
  addAffected,
  addAuthenticating,
  isAffected,
  nothingAffected,
} from "./affected.js";
import { DiagnosticStore } from "./diagnostic-store.js";
import { Journal } from "./journal.js";
import { CompiledState } from "./state.js";
import { DIAGNOSED_AT_USE } from "./uses.js";

const NOTHING: ResolveContext = { answers: () => false, tlsListener: false };

export interface WorkspaceOptions {
  /** Modules that are reused if the pipeline is the same. */
  reusable?: ReadonlyMap<string, GeneratedModule>;
  /** As in `CompileInput`. */
  secretKey?: string | undefined;
  /** Epoch seconds. */
  now?: (() => number) | undefined;
  /** Settings of the deployment. Default: `DEFAULT_SETTINGS`. */
  settings?: PlanSettings;
  /** Output format of the modules. */
  target?: EmitTarget<GeneratedModule>;
  /** Workspace with the same context, settings and absences; its unchanged parts are reused. */
  before?: Workspace | undefined;
}

/** Resources with their compiled form, changed in place and undone through one journal. */
export class Workspace {
  readonly journal = new Journal();
  readonly inventory = new Inventory();
  readonly state: CompiledState;
  readonly places = locationsBy((kind, id) => this.inventory.get(kind, id));
  readonly #reachability: Reachability;
  /** Position of each route of the files, which decides ties. */
  readonly #orders: Map<string, number>;
  /** Resources ("routes/1") that authenticate clients and so depend on every consumer. */
  readonly authenticating: Set<string>;
  readonly #context: ResolveContext;

  readonly #secretKey: string | undefined;
  readonly #now: (() => number) | undefined;
  readonly settings: PlanSettings;
  readonly #target: EmitTarget<GeneratedModule>;
  /** Set until `compileAll`, since it holds a whole configuration and its secrets. */
  #before: Workspace | undefined;
  readonly #found: DiagnosticStore;

  constructor(context: ResolveContext = NOTHING, options: WorkspaceOptions = {}) {
    this.#context = context;
    this.#secretKey = options.secretKey;
    this.#now = options.now;
    this.settings = options.settings ?? DEFAULT_SETTINGS;
    this.#target = options.target ?? typescript;
    const { before } = options;
    this.#before = before;
    this.#reachability = new Reachability(before ? before.#reachability : undefined);
    this.#found = new DiagnosticStore(this.journal, before ? before.#found : undefined);
    this.#orders = new Map(before ? before.#orders : []);
    this.authenticating = new Set(before?.authenticating);
    this.state = new CompiledState(this.journal, this.#target, options.reusable, before?.state);
  }

  put(resource: Resource): void {
    const previous = this.inventory.put(resource);
    this.journal.record(() => {
      if (previous) this.inventory.put(previous);
      else this.inventory.remove(resource.kind, resource.id);
    });
  }

  remove(kind: Kind, id: string): void {
    const previous = this.inventory.remove(kind, id);
    if (previous) this.journal.record(() => this.inventory.put(previous));
  }

  setAbsence(kind: Kind, id: string, absence: Absence | undefined): void {
    const previous = this.inventory.setAbsence(kind, id, absence);
    this.journal.record(() => this.inventory.setAbsence(kind, id, previous));
  }

  /** Stores the resources of a configuration without compiling them. */
  fill(
    resources: readonly Resource[],
    absences: readonly { kind: Kind; id: string; absence: Absence }[],
    built: readonly BuiltResource[] = [],
  ): void {
    for (const resource of resources) this.inventory.put(resource);
    for (const { kind, id, absence } of absences) this.inventory.setAbsence(kind, id, absence);
    for (const { id, order } of built) if (order !== undefined) this.#orders.set(id, order);
  }

  /** Records former spans of resources of files, for diagnostics about references that a reload breaks. */
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

  /**
   * Compiles everything, with diagnostics that need a whole configuration.
   * @param partial salvaged resources, which are only checked
   */
  compileAll(findings: DiagnosticCollector, partial: readonly Resource[] = []): void {
    const affected = this.#before ? this.#changedSince(this.#before) : this.#everything();
    this.#before = undefined;
    for (const { name } of tableOwners()) affected.ofPlugins.add(name);
    for (const id of this.#renumber()) affected.routes.add(id);
    this.#takeOver(affected, findings);
    this.compile(affected, findings);
    this.#reportWhole(findings);
    checkPartialDuplicates(partial, this.inventory, findings.report);
    for (const route of checkPartialResources(partial, this.inventory, this.#context, findings.report))
      plannedRoute(route, findings.report, undefined, this.settings);
  }

  /** Reports diagnostics of all parts and of the whole configuration. */
  reportAll(findings: DiagnosticCollector): void {
    findings.addAll(this.#found.all());
    this.#reportWhole(findings);
  }

  #reportWhole(findings: DiagnosticCollector): void {
    const authenticated = [...this.authenticating].some((name) => /^(?:routes|global_rules)\//.test(name));
    checkConsumers(this.inventory, this.#context, findings.report);
    checkUnused(this.inventory, this.#context, authenticated, findings.report);
    const routes = this.inventory.all("routes");
    checkCombinations(routes.values(), this.inventory, this.#context, findings.report);
    if (!this.#context.incomplete) checkPriorities(this.inventory, findings.report);
    for (const [id, { from }] of routes) if (from !== "build") this.#reportShadow(id, findings);
  }

  #everything(): Affected {
    const affected = { ...nothingAffected(), rules: true };
    for (const kind of ALONE)
      for (const [id, { from }] of this.inventory.all(kind)) if (from !== "build") affected[kind].add(id);
    if (this.#authenticatingOfBuild()) addAuthenticating(affected, this.authenticating);
    return affected;
  }

  /** Resources affected by changes since `before`, compared by identity: a moved location is a change too. */
  #changedSince({ inventory }: Workspace): Affected {
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

  /** Reports the diagnostics of parts that are not compiled again. */
  #takeOver(affected: Affected, findings: DiagnosticCollector): void {
    for (const [part, found] of this.#found.withoutAdvice())
      if (!isAffected(affected, part)) findings.addAll(found);
  }

  /** Compiles the affected resources and replaces them in the state. */
  compile(affected: Affected, findings: DiagnosticCollector): void {
    if (affected.hosts) for (const id of this.#renumber()) affected.routes.add(id);
    const each = (kind: (typeof ALONE)[number], work: (id: string) => void) => {
      for (const id of affected[kind]) this.#recordDiagnostics(`${kind}/${id}`, findings, () => work(id));
    };
    each("upstreams", (id) => {
      const upstream = this.inventory.get("upstreams", id);
      this.state.setTable(id, upstream && resolveUpstream(upstream, findings.report));
    });
    each("plugin_configs", (id) => this.#checkShared("plugin_configs", id, findings));
    each("services", (id) => this.#compileService(id, findings));
    each("routes", (id) => this.#compileRoute(id, findings));
    each("plugin_metadata", (id) => this.#compileMetadata(id, findings));
    if (affected.rules)
      this.#recordDiagnostics("global_rules/", findings, () => this.#compileRules(findings));
    for (const plugin of affected.ofPlugins)
      this.#recordDiagnostics(`tables/${plugin}`, findings, () => this.#compileTable(plugin, findings));
  }

  /**
   * Records resources of a build that authenticate clients: new consumers recompile them.
   * @returns true if the consumers already differ from the build's
   */
  #authenticatingOfBuild(): boolean {
    const { authenticates } = this.#context;
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

  /** Stores the diagnostics of a part, for a reload that does not compile it again. */
  #recordDiagnostics(name: string, findings: DiagnosticCollector, work: () => void): void {
    this.#found.set(name, findings.during(work));
  }

  /** Diagnostics of affected resources combined with those they use; routes report their upstreams'. */
  reportCombinations(
    { routes, upstreams, services, consumers }: Affected,
    { report }: DiagnosticCollector,
  ): void {
    checkConsumers(this.inventory, this.#context, report, consumers);
    const ids = new Set(routes);
    const add = (kind: Kind, id: string) => {
      for (const user of this.inventory.users(kind, id))
        if (user.kind === "routes") ids.add(user.id);
        else if (user.kind === "services") add("services", user.id);
    };
    for (const id of upstreams) add("upstreams", id);
    for (const id of services) add("services", id);
    const changed = [...ids].flatMap((id) => this.inventory.get("routes", id) ?? []);
    checkCombinations(changed, this.inventory, this.#context, report);
  }

  /** Diagnostics of routes that the change of one route shadows, or that shadow it. */
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

  #compileService(id: string, findings: DiagnosticCollector): void {
    const service = this.inventory.get("services", id) as Resource<ServiceValue> | undefined;
    const table = service && resolveService(service, this.inventory, this.#context, findings.report);
    this.state.setTable(`service:${id}`, table);
    this.#checkShared("services", id, findings);
  }

  #checkShared(kind: "services" | "plugin_configs", id: string, findings: DiagnosticCollector): void {
    const resource = this.inventory.get(kind, id);
    const alone = resource && asStandaloneRoute(resource, this.inventory, this.#context);
    if (alone) plannedRoute(alone, findings.report, undefined, this.settings);
    this.#setAuthenticating(kind, id, alone?.consumers !== undefined);
  }

  #compileRoute(id: string, findings: DiagnosticCollector): void {
    const resource = this.inventory.get("routes", id) as Resource<RouteValue> | undefined;
    const order = this.#orders.get(id) ?? STORED_ORDER;
    const { report } = findings;
    const resolved = resource && resolveRoute(resource, order, this.inventory, this.#context, report);
    const secrets = this.#keeper();
    const planned = resolved && plannedRoute(resolved.route, report, secrets, this.settings);
    this.#setAuthenticating("routes", id, resolved?.route.consumers !== undefined);
    const live = resolved?.enabled ? resolved : undefined;
    this.#setMatch(id, live && matchFields(live.route));
    if (live && planned) this.#checkTarget({ routes: [planned] }, findings);
    this.state.setTable(`route:${id}`, live?.table);
    this.state.setSecrets(`route:${id}`, live && secrets.values);
    this.state.setRoute(id, live && planned);
  }

  /** Recomputes ties, which depend on hosts of services. @returns routes whose order has changed */
  #renumber(): string[] {
    const moved = [...tieOrders(this.inventory)].filter(([id, order]) => this.#orders.get(id) !== order);
    for (const [id, order] of moved) this.journal.set(this.#orders, id, order);
    for (const id of this.#orders.keys())
      if (!this.inventory.get("routes", id)) this.journal.set(this.#orders, id, undefined);
    return moved.map(([id]) => id);
  }

  #compileMetadata(plugin: string, findings: DiagnosticCollector): void {
    const metadata = this.inventory.get("plugin_metadata", plugin) as
      | Resource<Record<string, unknown>>
      | undefined;
    const planned = metadata && planMetadata(plugin, metadata, findings.report);
    if (planned) this.#checkTarget({ pluginMetadata: [planned] }, findings);
    this.state.setMetadata(plugin, planned);
  }

  #compileRules(findings: DiagnosticCollector): void {
    const rules = [...this.inventory.all("global_rules").values()].map((rule) =>
      resolveGlobalRule(rule, this.inventory, this.#context),
    );
    checkGlobalRules(rules, findings.report);
    const gone = new Set(this.state.rules.keys());
    for (const rule of rules) {
      gone.delete(rule.id);
      // Rules of a build do not change, unless they depend on consumers.
      const isBuilt = this.inventory.get("global_rules", rule.id)?.from === "build";
      if (isBuilt && rule.consumers === undefined) continue;
      this.#setAuthenticating("global_rules", rule.id, rule.consumers !== undefined);
      const secrets = this.#keeper();
      const planned = planGlobalRule(rule, { report: findings.report, secrets, settings: this.settings });
      if (planned) this.#checkTarget({ globalRules: [planned] }, findings);
      this.state.setSecrets(`global_rule:${rule.id}`, secrets.values);
      this.state.setRule(rule.id, planned ?? undefined);
    }
    for (const id of gone) {
      this.#setAuthenticating("global_rules", id, false);
      this.state.setSecrets(`global_rule:${id}`, undefined);
      this.state.setRule(id, undefined);
    }
  }

  #compileTable(name: string, { report }: DiagnosticCollector): void {
    const plugin = tableOwner(name);
    if (!plugin) return;
    const secrets = this.#keeper();
    const resources = checkResources(plugin, this.inventory, this.#context, this.#now?.(), report);
    this.state.setPluginTable(name, planTable(name, resources, secrets));
    this.state.setSecrets(name, secrets.values);
  }

  #checkTarget(parts: Partial<Plan>, findings: DiagnosticCollector): void {
    if (!findings.hasErrors) findings.addAll(this.#target.lacks(planOf(parts), this.places));
  }

  #keeper(): SecretKeeper {
    return new SecretKeeper(this.#secretKey);
  }

  #setAuthenticating(kind: Kind, id: string, does: boolean): void {
    const name = `${kind}/${id}`;
    const did = this.authenticating.has(name);
    if (did === does) return;
    const set = (value: boolean) =>
      value ? this.authenticating.add(name) : this.authenticating.delete(name);
    set(does);
    this.journal.record(() => set(did));
  }

  #setMatch(id: string, fields: MatchFields | undefined): void {
    const previous = fields ? this.#reachability.put(fields) : this.#reachability.remove(id);
    this.journal.record(() => {
      if (previous) this.#reachability.put(previous);
      else this.#reachability.remove(id);
    });
  }
}
