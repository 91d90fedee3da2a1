import type { Inventory } from "../3-resolve/inventory.js";
import { checkResources } from "../3-resolve/plugin-resources.js";
import { plannedRoute, planTable } from "../4-plan/parts.js";
import { planGlobalRule } from "../4-plan/pipeline.js";
import { DEFAULT_SETTINGS } from "../4-plan/plan-settings.js";
import type { RouteCache } from "../4-plan/route-cache.js";
import { SecretKeeper } from "../4-plan/secret.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { tableOwner } from "../certificates/table.js";
import type { DiagnosticCollector } from "../diagnostics/collector.js";
import { planMetadata } from "../log/metadata.js";
import type { EmitTarget } from "../model/emit-target.js";
import { type Plan, planOf } from "../model/plan.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type { ResolveContext, ResolvedGlobalRule } from "../model/resolved.js";
import type { Resource } from "../model/resource.js";
import { locationsBy } from "../model/source-locations.js";
import { type Affected, type ALONE, isAffected } from "./affected.js";
import { DiagnosticStore } from "./diagnostic-store.js";
import { Journal } from "./journal.js";
import { Resolver } from "./resolver.js";
import { CompiledState } from "./state.js";

export interface WorkspaceOptions {
  context?: ResolveContext;
  /** Modules that are reused if the pipeline is the same. */
  reusable?: ReadonlyMap<string, GeneratedModule>;
  routes?: RouteCache | undefined;
  /** As in `CompileInput`. */
  secretKey?: string | undefined;
  /** Epoch seconds. */
  now?: (() => number | undefined) | undefined;
  /** Default: `DEFAULT_SETTINGS`. */
  settings?: PlanSettings;
  target: EmitTarget<GeneratedModule>;
  /** Workspace with the same context, settings and absences; its unchanged parts are reused. */
  before?: Workspace | undefined;
}

/** Steps 3 to 5. Resources change in place and are undone through one journal. */
export class Workspace {
  readonly journal = new Journal();
  readonly resolver: Resolver;
  readonly state: CompiledState;
  readonly places = locationsBy((kind, id) => this.inventory.get(kind, id));
  readonly settings: PlanSettings;
  readonly #options: Omit<WorkspaceOptions, "before" | "reusable">;
  /** Set until `compileAll`, since it holds a whole configuration and its secrets. */
  #before: Workspace | undefined;
  readonly #found: DiagnosticStore;

  constructor({ before, reusable, ...options }: WorkspaceOptions) {
    this.#options = options;
    const { context, target } = options;
    this.settings = options.settings ?? DEFAULT_SETTINGS;
    this.#before = before;
    this.resolver = new Resolver(this.journal, context, before?.resolver);
    this.#found = new DiagnosticStore(this.journal, before ? before.#found : undefined);
    this.state = new CompiledState(this.journal, { target, reusable }, before?.state);
  }

  get inventory(): Inventory {
    return this.resolver.inventory;
  }

  /**
   * Reports, too, diagnostics that need a whole configuration.
   * @param partial salvaged resources, which are only checked
   * @returns the resources that differ from the configuration before
   */
  compileAll(findings: DiagnosticCollector, partial: readonly Resource[] = []): Affected {
    const affected = this.resolver.affected(this.#before?.resolver);
    this.#before = undefined;
    this.#takeOver(affected, findings);
    this.compile(affected, findings);
    this.resolver.reportWhole(findings);
    for (const route of this.resolver.partial(partial, findings.report))
      plannedRoute(route, findings.report, undefined, this.settings);
    return affected;
  }

  reportAll(findings: DiagnosticCollector): void {
    findings.addAll(this.#found.all());
    this.resolver.reportWhole(findings);
  }

  #takeOver(affected: Affected, findings: DiagnosticCollector): void {
    for (const [part, found] of this.#found.withoutAdvice())
      if (!isAffected(affected, part)) findings.addAll(found);
  }

  compile(affected: Affected, findings: DiagnosticCollector): void {
    const { report } = findings;
    if (affected.hosts) for (const id of this.resolver.renumber()) affected.routes.add(id);
    const part = (name: string, work: () => void) => this.#found.set(name, findings.during(work));
    const each = (kind: (typeof ALONE)[number], work: (id: string) => void) => {
      for (const id of affected[kind]) part(`${kind}/${id}`, () => work(id));
    };
    each("upstreams", (id) => this.state.setTable(id, this.resolver.upstream(id, report)));
    each("plugin_configs", (id) => this.#checkShared("plugin_configs", id, findings));
    each("services", (id) => {
      this.state.setTable(`service:${id}`, this.resolver.service(id, report));
      this.#checkShared("services", id, findings);
    });
    each("routes", (id) => this.#compileRoute(id, findings));
    each("plugin_metadata", (id) => {
      const metadata = this.inventory.get("plugin_metadata", id) as Resource<Record<string, unknown>>;
      this.state.setMetadata(id, metadata && planMetadata(id, metadata, report));
    });
    if (affected.rules) part("global_rules/", () => this.#compileRules(findings));
    for (const plugin of affected.ofPlugins)
      part(`tables/${plugin}`, () => this.#compileTable(plugin, findings));
  }

  /** Reports parts that the emit target cannot express, unless there are errors. */
  checkTarget(affected: Affected, findings: DiagnosticCollector): void {
    if (findings.hasErrors) return;
    const check = (name: string, parts: Partial<Plan>) => {
      const found = this.#options.target.lacks(planOf(parts), this.places);
      if (found.length > 0) this.#found.add(name, found);
      findings.addAll(found);
    };
    for (const id of affected.routes) {
      const planned = this.state.routes.get(id);
      if (planned) check(`routes/${id}`, { routes: [planned] });
    }
    for (const id of affected.plugin_metadata) {
      const planned = this.state.metadata.get(id);
      if (planned) check(`plugin_metadata/${id}`, { pluginMetadata: [planned] });
    }
    if (affected.rules) check("global_rules/", { globalRules: [...this.state.rules.values()] });
  }

  #checkShared(kind: "services" | "plugin_configs", id: string, { report }: DiagnosticCollector): void {
    const alone = this.resolver.standalone(kind, id);
    if (alone) plannedRoute(alone, report, undefined, this.settings);
  }

  #compileRoute(id: string, { report }: DiagnosticCollector): void {
    const resolved = this.resolver.route(id, report);
    const live = resolved?.enabled ? resolved : undefined;
    const secrets = this.#keeper();
    const given = resolved && ([resolved.route, report, secrets, this.settings] as const);
    const cache = live && this.#options.routes;
    const planned = given && (cache?.plan(...given) ?? plannedRoute(...given));
    this.state.setTable(`route:${id}`, live?.table);
    if (planned && "made" in planned) this.state.setUnchanged(id, planned);
    else {
      this.state.setSecrets(`route:${id}`, live && secrets);
      this.state.setRoute(id, live && planned);
    }
  }

  #compileRules(findings: DiagnosticCollector): void {
    const rules = this.resolver.rules(findings.report);
    const gone = new Set(this.state.rules.keys());
    for (const rule of rules) {
      gone.delete(rule.id);
      // Rules of a build do not change, unless they depend on consumers.
      const isBuilt = this.inventory.get("global_rules", rule.id)?.from === "build";
      if (!isBuilt || rule.consumers !== undefined) this.#compileRule(rule, findings);
    }
    for (const id of gone) {
      this.resolver.setAuthenticating("global_rules", id, false);
      this.state.setSecrets(`global_rule:${id}`, undefined);
      this.state.setRule(id, undefined);
    }
  }

  #compileRule(rule: ResolvedGlobalRule, { report }: DiagnosticCollector): void {
    this.resolver.setAuthenticating("global_rules", rule.id, rule.consumers !== undefined);
    const secrets = this.#keeper();
    const planned = planGlobalRule(rule, { report, secrets, settings: this.settings });
    this.state.setSecrets(`global_rule:${rule.id}`, secrets);
    this.state.setRule(rule.id, planned ?? undefined);
  }

  #compileTable(name: string, { report }: DiagnosticCollector): void {
    const plugin = tableOwner(name);
    if (!plugin) return;
    const secrets = this.#keeper();
    const now = this.#options.now?.();
    const resources = checkResources(plugin, this.inventory, this.resolver.context, now, report);
    this.state.setPluginTable(name, planTable(name, resources, secrets));
    this.state.setSecrets(name, secrets);
  }

  #keeper(): SecretKeeper {
    return new SecretKeeper(this.#options.secretKey);
  }
}
