import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { planSettings } from "../4-plan/plan-settings.js";
import { PLAN } from "../compilation/compile-to-plan.js";
import { contextOf, readConfiguration, type Settings } from "../compilation/frontend.js";
import { Workspace } from "../compilation/workspace.js";
import { DiagnosticCollector } from "../diagnostics/collector.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Plan } from "../model/plan.js";

/** Content of a build that its plan follows from. */
export interface PlannedBuild {
  resources: readonly BuiltResource[];
  deployment: unknown;
  /** Text of `plan.json`; undefined if the plan follows from the resources. */
  plan: string | undefined;
}

/** Plan of a build, or the errors for which it cannot be planned again. */
export const planOfBuild = ({ plan, resources, deployment }: PlannedBuild): Plan | Diagnostic[] =>
  plan === undefined ? planBuilt(resources, deployment as Settings["deployment"]) : parsePlan(plan);

/**
 * Plans the resources of a build again. Variables were replaced when it was built, so the plan is that of the
 * build as long as the same version of gwc plans it.
 * @returns errors in place of a plan if this version rejects a resource
 */
function planBuilt(
  resources: readonly BuiltResource[],
  deployment: Settings["deployment"],
): Plan | Diagnostic[] {
  const built = inOrder(resources);
  const read = readConfiguration({ sources: [], built, environment: {} });
  const findings = new DiagnosticCollector({ advice: false });
  findings.addAll(read.diagnostics);
  const settings = planSettings(deployment);
  const context = contextOf(deployment, Object.keys(deployment ?? {}));
  const workspace = new Workspace({ target: PLAN, context, settings });
  const { resolver, state } = workspace;
  resolver.fill(
    read.resources.map((resource) => ({ ...resource, from: "file" })),
    read.absences,
  );
  // Without `compileAll`: the build passed the checks of the whole configuration.
  workspace.compile(resolver.affected(undefined), findings);
  return findings.hasErrors ? findings.sorted() : state.plan();
}

/** Returns routes that tie in their order, by which they are numbered again. */
const inOrder = (resources: readonly BuiltResource[]): BuiltResource[] =>
  [...resources].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));

const PARTS = ["version", "routes", "globalRules", "pluginMetadata", "upstreams"];

/**
 * Parses `plan.json`, which has the tables of plugins under their names.
 * @throws Error if it is not JSON
 */
function parsePlan(text: string): Plan {
  const entries = Object.entries(JSON.parse(text) as object);
  const tables = entries.filter(([name]) => !PARTS.includes(name));
  const parts = Object.fromEntries(entries.filter(([name]) => PARTS.includes(name)));
  return { ...parts, ...(tables.length > 0 && { tables: Object.fromEntries(tables) }) } as unknown as Plan;
}
