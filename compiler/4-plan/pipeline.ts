import type { RouterRow } from "../../runtime/abi/generation.js";
import type { Availability } from "../../runtime/abi/variables.js";
import { pluginSchemaFile } from "../../schema/schemas.js";
import { withDefaults } from "../2-validate/defaults.js";
import { ERROR_RANK, pluginErrorPrefix } from "../diagnostics/admin-text.js";
import { configPath } from "../model/config-path.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { PatternScope } from "../model/pattern-subject.js";
import type { Condition, PlannedPipeline, PlannedResource, Step, StepPhase } from "../model/plan.js";
import type { PlanSettings } from "../model/plan-settings.js";
import type {
  ResolvedConsumer,
  ResolvedGlobalRule,
  ResolvedPlugin,
  ResolvedRoute,
  RouteGuarantees,
} from "../model/resolved.js";
import type { Path } from "../model/source.js";
import type { PluginDefinition } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { patternScope } from "../variables/subject.js";
import { planCondition } from "./condition.js";
import { isProven, reportUnsatisfiable } from "./contradiction.js";
import { credentialsOf } from "./credentials.js";
import { describesErrorResponse, errorResponseText, unsentErrorResponse } from "./error-response.js";
import { reportMissingFields, type StatusInput } from "./header-effects.js";
import { DEFAULT_SETTINGS } from "./plan-settings.js";
import type { SecretKeeper } from "./secret.js";

export interface PipelineContext {
  report(diagnostic: Diagnostic): void;
  secrets: SecretKeeper;
  /** Default: those of a deployment without settings. */
  settings?: PlanSettings;
}

interface StepContext extends PipelineContext {
  consumers: readonly ResolvedConsumer[];
  /** Module id of the pipeline: "route:shop". */
  moduleId: string;
  patterns: PatternScope;
  /** Undefined for a global rule, which runs for every request. */
  guarantees: RouteGuarantees | undefined;
}

interface PlannedPlugin {
  steps: Step[];
  resources: PlannedResource[];
  statuses: StatusInput[];
}

const PHASE_ORDER: readonly StepPhase[] = ["rewrite", "access", "headerFilter", "acknowledge", "log"];
/** Stage of the exchange at which a phase runs. */
const NOW: Readonly<Record<StepPhase, Availability>> = {
  rewrite: "request",
  access: "request",
  headerFilter: "response",
  acknowledge: "log",
  log: "log",
};

/** Plans the module of a route. @returns null if there is nothing to do, so that the route needs no module */
export function planRoute(
  resolved: ResolvedRoute,
  row: RouterRow,
  given: PipelineContext,
): PlannedPipeline | null {
  const context = resolved.judgedElsewhere ? withoutUnusedDiagnostics(given) : given;
  const patterns = patternScope(context.settings?.sizes);
  const { methods, hosts, uris } = row;
  const known: RouteGuarantees = { methods, hosts, uris, ...(resolved.vars && { vars: true as const }) };
  const match = planMatch(resolved, context, patterns, known);
  const moduleId = `route:${resolved.id}`;
  const plugins = resolved.unavailable === undefined ? resolved.plugins : resolved.plugins.filter(isLogger);
  const consumers = resolved.consumers ?? [];
  const planned = planSteps(plugins, { ...context, consumers, moduleId, patterns, guarantees: known });
  const pipeline = {
    kind: "route" as const,
    id: resolved.id,
    origin: configPath({ kind: "routes", id: resolved.id }),
    title: routeTitle(row),
    match,
    ...planned,
  };
  return hasMatch(pipeline) || planned.steps.length > 0 ? pipeline : null;
}

/** Reports whether the route has a match condition beyond its row. */
export function hasMatch({ match }: Pick<PlannedPipeline, "match">): boolean {
  return match !== null && !isProven(true, match);
}

/** Drops GW4301: a plugin without consumers is no mistake in a resource whose routes do not run it. */
function withoutUnusedDiagnostics({ report, ...others }: PipelineContext): PipelineContext {
  return {
    ...others,
    report: (finding) => {
      if (finding.code !== "GW4301") report(finding);
    },
  };
}

/**
 * Reports whether a plugin still runs if plugins of the route are missing. Only loggers do: any other plugin
 * could respond with what the missing ones protect.
 */
function isLogger({ name }: ResolvedPlugin): boolean {
  return findPlugin(name)?.phases.includes("log") === true;
}

/** Plans the module of a global rule. @returns null if none of its plugins does anything */
export function planGlobalRule(
  resolved: ResolvedGlobalRule,
  context: PipelineContext,
): PlannedPipeline | null {
  const moduleId = `global_rule:${resolved.id}`;
  const consumers = resolved.consumers ?? [];
  const patterns = patternScope(context.settings?.sizes);
  const planned = planSteps(resolved.plugins, {
    ...context,
    consumers,
    moduleId,
    patterns,
    guarantees: undefined,
  });
  if (planned.steps.length === 0) return null;
  const title = resolved.plugins
    .map((plugin) => plugin.name)
    .sort()
    .join(", ");
  return {
    kind: "global_rule",
    id: resolved.id,
    origin: configPath({ kind: "global_rules", id: resolved.id }),
    title,
    match: null,
    ...planned,
  };
}

/** Plans `vars` of the route. */
function planMatch(
  { id, vars }: ResolvedRoute,
  context: PipelineContext,
  patterns: PatternScope,
  known: RouteGuarantees,
): Condition | null {
  if (vars === undefined) return null;
  const condition = planCondition(vars, {
    report: context.report,
    origin: (path) => configPath({ kind: "routes", id }, ["vars", ...path]),
    now: "request",
    place: "vars of a route",
    patterns,
    guarantees: known,
  });
  reportUnsatisfiable(condition, known, vars.spans.value([]), context.report);
  return condition.kind === "always" ? null : condition;
}

/**
 * Plans steps in execution order: by phase, then priority descending, then nominal priority and name. Unknown
 * plugins were reported before.
 */
function planSteps(
  plugins: readonly ResolvedPlugin[],
  context: StepContext,
): Pick<PlannedPipeline, "resources" | "credentials" | "steps"> {
  const ordered = plugins.flatMap((resolved) => {
    const plugin = findPlugin(resolved.name);
    if (plugin === undefined) return [];
    const priority = meta(resolved).priority ?? plugin.priority;
    return [{ ...planPlugin(resolved, plugin, context), plugin, priority }];
  });
  ordered.sort((a, b) => b.priority - a.priority || byRank(a.plugin, b.plugin));
  const steps = ordered.flatMap((entry) => entry.steps);
  const resources = ordered.flatMap((entry) => entry.resources);
  const credentials = credentialsOf(plugins, steps);
  for (const { statuses } of ordered)
    if (statuses.length > 0) reportMissingFields(statuses, steps, context.report);
  return {
    ...(resources.length > 0 && { resources }),
    ...(credentials && { credentials }),
    // A copy, because it has no spare capacity.
    steps: PHASE_ORDER.flatMap((phase) => steps.filter((step) => step.phase === phase)).slice(),
  };
}

function byRank(a: PluginDefinition, b: PluginDefinition): number {
  return b.priority - a.priority || (a.name < b.name ? -1 : 1);
}

interface Meta {
  priority?: number;
  filter?: unknown[];
  error_response?: string | Record<string, unknown>;
}

function meta({ config }: ResolvedPlugin): Meta {
  return (config.value._meta ?? {}) as Meta;
}

function planPlugin(resolved: ResolvedPlugin, plugin: PluginDefinition, context: StepContext): PlannedPlugin {
  const { config, name, owner } = resolved;
  const origin = (path: Path) => configPath(owner, ["plugins", name, ...path]);
  const errorResponse = errorResponseText(meta(resolved).error_response);
  const {
    consumers,
    secrets,
    moduleId,
    patterns,
    guarantees,
    settings: deployed = DEFAULT_SETTINGS,
  } = context;
  const report = (finding: Diagnostic) => context.report(ofPlugin(name, finding));
  const resources: PlannedResource[] = [];
  const statuses: StatusInput[] = [];
  const file = pluginSchemaFile(name, "route") ?? "";
  const settings = { value: withDefaults(file, config.value), written: config.value, spans: config.spans };
  const planned = plugin.plan(settings, {
    report,
    origin,
    get span() {
      return resolved.span;
    },
    consumers,
    patterns,
    guarantees,
    errorResponse,
    securePort: deployed.securePort,
    attributes: deployed.attributes[name] ?? {},
    serviceListener: deployed.serviceListeners[name],
    resource(data) {
      if (resources.length > 0) throw new Error("context.resource is called twice; a plugin keeps one");
      resources.push({ plugin: name, origin: origin([]), data });
    },
    setsStatus: (status, path) => {
      statuses.push({ status, span: config.spans.value(path) });
    },
    secret: (value, path) =>
      secrets.reference(value, `${moduleId}:${[name, ...path].join(".")}`, config.spans.value(path)),
  });
  // Built-in plugins only: a package's plugin need not describe its error response, and `withPluginChecks`
  // checks it.
  if (errorResponse !== undefined && planned.length > 0 && plugin.package === undefined)
    if (!describesErrorResponse(plugin, planned, errorResponse, resources[0]?.data))
      report(unsentErrorResponse(name, config.spans.key(["_meta", "error_response"])));
  // Field by field: the result of a rest pattern gets its own hidden class, 350 bytes for each step of each
  // route.
  const steps = planned.flatMap((one) => {
    const { phase, origin, data, runUnfiltered = false, skipIfFilterUnknown = false } = one;
    const filter = planFilter(resolved, phase, runUnfiltered || skipIfFilterUnknown, context);
    if (filter === "unknown" && skipIfFilterUnknown) return [];
    const step: Step = { phase, origin, data, plugin: name, filter: filter === "unknown" ? null : filter };
    if (one.capturesRequest) step.capturesRequest = true;
    if (errorResponse !== undefined) step.errorResponse = errorResponse;
    return [step];
  });
  return { steps, resources, statuses };
}

/**
 * Adapts a diagnostic of a plugin's plan step; the reference checks conditions of a plugin before its
 * patterns.
 */
function ofPlugin(name: string, finding: Diagnostic): Diagnostic {
  if (finding.severity !== "error") return finding;
  const isCondition = finding.errorRank === ERROR_RANK.expression;
  return {
    ...finding,
    errorMessage: pluginErrorPrefix(name) + (finding.errorMessage ?? finding.message),
    errorRank: isCondition ? ERROR_RANK.pluginExpression : ERROR_RANK.pluginPlan,
  };
}

/**
 * Plans `_meta.filter`, which is evaluated in the step's own phase.
 * @param later a step of a later phase has the same filter, so that unknown variables need not be reported
 */
function planFilter(
  resolved: ResolvedPlugin,
  phase: StepPhase,
  later: boolean,
  { report, patterns, guarantees }: StepContext,
): Condition | null | "unknown" {
  const { filter } = meta(resolved);
  if (filter === undefined) return null;
  const spans = resolved.config.spans.below(["_meta", "filter"]);
  let unknown = false;
  const condition = planCondition(
    { value: filter, spans },
    {
      report: (finding) => {
        if (!later) report({ ...finding, errorRank: ERROR_RANK.pluginFilter });
        else unknown ||= finding.severity === "error";
      },
      origin: (path) => configPath(resolved.owner, ["plugins", resolved.name, "_meta", "filter", ...path]),
      now: NOW[phase],
      place: `_meta.filter of ${resolved.name}, which runs on the request`,
      patterns,
      guarantees,
    },
  );
  if (unknown) return "unknown";
  return condition.kind === "always" ? null : condition;
}

/** Returns a title: "GET, POST /orders/* on shop.example.com to upstream \"orders\"". */
function routeTitle(row: RouterRow): string {
  const methods = row.methods.length === 0 ? "" : `${row.methods.join(", ")} `;
  const hosts = row.hosts.length === 0 ? "" : ` on ${some(row.hosts)}`;
  const leads = row.unavailable === undefined ? destination(row.upstream) : `answered ${row.unavailable}`;
  return `${methods}${some(row.uris)}${hosts} ${leads}`;
}

/** Returns enough values to recognise the route by, on one line. */
function some(values: readonly string[]): string {
  const shown = values.slice(0, 3).join(", ");
  return values.length > 3 ? `${shown} and ${values.length - 3} more` : shown;
}

/**
 * Describes the upstream. Inline upstreams are named after the resource that contains them: "route:r",
 * "service:s".
 */
function destination(upstream: string | null): string {
  if (upstream === null) return "without an upstream";
  if (upstream.startsWith("route:")) return "to an upstream of its own";
  const service = /^service:(.*)$/.exec(upstream)?.[1];
  if (service !== undefined) return `to the upstream of service ${JSON.stringify(service)}`;
  return `to upstream ${JSON.stringify(upstream)}`;
}
