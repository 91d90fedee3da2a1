import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { assetFolder } from "../../schema/schemas.js";
import { ReadDetector, unsentErrorResponse } from "../4-plan/error-response.js";
import { WIDTH } from "../5-emit/layout.js";
import { resourceConstantName } from "../5-emit/phase.js";
import { pluginPrinter } from "../5-emit/printer.js";
import { ModuleScope } from "../5-emit/scope.js";
import { findMissingField } from "../5-emit/template-fields.js";
import { pluginTemplate } from "../5-emit/templates.js";
import { CATALOGUE } from "../diagnostics/catalogue/index.js";
import { TooManyErrors } from "../diagnostics/collector.js";
import { nearest } from "../diagnostics/nearest.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Spans } from "../model/source.js";
import type {
  PlanContext,
  PlannedStep,
  PluginDefinition,
  PluginSettings,
  TypedStep,
} from "../plugin/definition.js";
import { isPluginCode } from "../plugin/package.js";
import { TimeExceededError, TimeLimit } from "../plugin/time-limit.js";
import { OutOfTimeError } from "../regex/analysis-cache.js";
import { reasonAt } from "./package-error.js";
import { findPlannedSecret, type PlannedSecret } from "./planned-secret.js";

class StepError extends Error {
  readonly step: string;

  constructor(step: string, cause: unknown, at: string) {
    super(reasonAt(cause, new URL(".", at).href), { cause });
    this.step = step;
  }
}

/**
 * Turns errors and endless calls into diagnostics that name the plugin. A planned step is printed and
 * described once in advance, since only the plan step can report. The same code fails the same way when the
 * module is generated.
 */
export function withPluginChecks(
  definition: PluginDefinition,
  packageName: string,
  limit = new TimeLimit(),
): PluginDefinition {
  const { name } = definition;
  const failed = (context: PlanContext, { step, message: reason }: StepError) =>
    context.report(diagnostic("GW7010", context.span, { plugin: name, package: packageName, step, reason }));
  return {
    ...definition,
    ...namedCalls(definition, packageName),
    package: { name: packageName, limit },
    plan(settings, context) {
      const steps = new Steps(definition.moduleUrl);
      try {
        return limit.run(() => planned(definition, settings, context, { runner: steps, packageName }));
      } catch (error) {
        const step = steps.running;
        if (error instanceof TimeExceededError)
          context.report(error.diagnostic({ plugin: name, package: packageName, step }, context.span));
        else if (error instanceof StepError) failed(context, error);
        else throw error;
        return [];
      }
    },
  };
}

/** Functions that print and describe planned steps; their errors name the plugin. */
const CALLED = ["view", "describe", "guard", "decisions", "resource", "resourceLabel"] as const;

function namedCalls(definition: PluginDefinition, packageName: string): Partial<PluginDefinition> {
  const named = CALLED.filter((step) => definition[step] !== undefined).map((step) => {
    const call = definition[step] as (...given: unknown[]) => unknown;
    const guarded = (...given: unknown[]) => {
      try {
        return call.apply(definition, given);
      } catch (error) {
        const reason = reasonAt(error, new URL(".", definition.moduleUrl).href);
        throw new Error(`plugin ${definition.name} of ${packageName} failed in ${step}: ${reason}`);
      }
    };
    return [step, guarded];
  });
  return Object.fromEntries(named) as Partial<PluginDefinition>;
}

/** Records the current step, since one that is ended by force cannot report itself. */
class Steps {
  running = "plan";
  readonly #at: string;

  constructor(at: string) {
    this.#at = at;
  }

  run<T>(step: string, call: () => T): T {
    this.running = step;
    try {
      return call();
    } catch (error) {
      // Limits of a write for patterns and errors, which are not the plugin's fault.
      if (error instanceof OutOfTimeError || error instanceof TooManyErrors) throw error;
      throw error instanceof StepError ? error : new StepError(step, error, this.#at);
    }
  }
}

function planned(
  definition: PluginDefinition,
  { value, written, spans }: PluginSettings<object>,
  context: PlanContext,
  { runner, packageName }: { runner: Steps; packageName: string },
): PlannedStep[] {
  const kept: unknown[] = [];
  let refused = false;
  const { errorResponse, ...given } = context;
  const noted = new ReadDetector(errorResponse);
  const own: PlanContext = noted.on({
    ...given,
    report(finding) {
      checkDiagnostic(finding, definition.name);
      refused ||= finding.severity === "error";
      context.report(finding);
    },
    resource(data) {
      checkPlain(data, "a resource");
      kept.push(data);
      context.resource(data);
    },
  });
  const settings = { value: frozen(value), written: frozen(written), spans };
  const steps = runner.run("plan", () => {
    const made: unknown = definition.plan(settings, own);
    checkSteps(made, definition);
    return made as PlannedStep[];
  });
  // After an error the rest of the plan is not used, and may be invalid.
  if (refused) return [];
  const secret = runner.run("plan", () => findPlannedSecret(definition, settings, context, { steps, kept }));
  if (secret !== undefined) {
    context.report(secretInPlan(secret, definition.name, packageName, spans));
    return [];
  }
  for (const step of steps)
    tryStep(definition, { ...step, plugin: definition.name, filter: null }, kept[0], noted, runner);
  if (errorResponse !== undefined && steps.length > 0 && !noted.isRead)
    context.report(unsentErrorResponse(definition.name, spans.key(["_meta", "error_response"])));
  return steps;
}

/** Reports a secret in plain text: plans, modules and spools are readable by more people than it. */
function secretInPlan({ path, data }: PlannedSecret, plugin: string, from: string, spans: Spans): Diagnostic {
  const reason = `the data of ${data} contains the secret "${path.join(".")}" in plain text; plan what context.secret returns`;
  return diagnostic("GW7010", spans.value(path), { plugin, package: from, step: "plan", reason });
}

function checkDiagnostic(finding: Diagnostic, plugin: string): void {
  const { code, severity, message } = finding;
  if (!isPluginCode(code, plugin) && !Object.hasOwn(CATALOGUE, code))
    throw new Error(
      `a diagnostic has the code ${JSON.stringify(code)}, not ${plugin.toUpperCase()}-001 or the like`,
    );
  if (
    !["error", "warning", "note"].includes(severity) ||
    typeof message !== "string" ||
    !Array.isArray(finding.notes)
  )
    throw new Error(`the diagnostic ${code} has no severity, message or notes`);
}

function checkSteps(steps: unknown, { phases }: PluginDefinition): void {
  if (!Array.isArray(steps)) throw new Error("it returned no list of steps");
  for (const step of steps as PlannedStep[]) {
    if (!phases.includes(step?.phase))
      throw new Error(
        `it returned a step of the phase ${JSON.stringify(step?.phase)}, which it does not declare`,
      );
    if (typeof step.origin !== "string") throw new Error("it returned a step without an origin");
    checkPlain(step.data, "a step");
  }
}

/** Requires plain JSON, since a plan is printed, hashed and compared. */
function checkPlain(data: unknown, what: string): void {
  const text = JSON.stringify(data);
  if (text === undefined || !isDeepStrictEqual(JSON.parse(text), data))
    throw new Error(`the data of ${what} is not plain JSON`);
}

function tryStep(
  definition: PluginDefinition,
  bare: TypedStep<unknown>,
  kept: unknown,
  noted: ReadDetector,
  runner: Steps,
): void {
  const { name } = definition;
  const scope = new ModuleScope();
  const printer = pluginPrinter(scope, WIDTH, name, bare.origin);
  const { describe, guard, decisions, resource } = definition;
  const step = noted.text === undefined ? bare : { ...bare, errorResponse: noted.text };
  if (kept !== undefined && resource !== undefined) {
    const called = runner.run("resourceLabel", () => resourceConstantName(definition, kept));
    const value = runner.run("resource", () => resource.call(definition, kept, printer));
    scope.resources.set(name, scope.constant(called, value));
  }
  if (guard !== undefined) runner.run("guard", () => guard.call(definition, step));
  if (decisions !== undefined) runner.run("decisions", () => decisions.call(definition, step));
  if (describe !== undefined)
    runner.run("describe", () => {
      const said: unknown = describe.call(definition, step, kept);
      if (!Array.isArray(said) || said.some((one) => typeof one !== "string"))
        throw new Error("it returned no list of sentences");
    });
  runner.run("view", () => {
    const view = definition.view(noted.text === undefined ? bare : noted.on(bare), printer);
    checkView(definition, `${step.phase}.hbs`, view);
    pluginTemplate(definition, step.phase)(view);
  });
}

/** Rejects a mistyped field, since it of a template would print nothing or count as false. */
function checkView({ moduleUrl }: PluginDefinition, file: string, view: Record<string, unknown>): void {
  const path = join(assetFolder(moduleUrl), file);
  // Without one, a template of gwc prints the view of gwc.
  if (!existsSync(path)) return;
  const lacking = findMissingField(readFileSync(path, "utf8"), view);
  if (lacking === undefined) return;
  const { name, line, known } = lacking;
  const near = nearest(name, known);
  const help = near === undefined ? `it has ${known.join(", ") || "no field"}` : `did you mean "${near}"?`;
  throw new Error(`${file}:${line}: the view has no field "${name}"; ${help}`);
}

/** Copies, since the original belongs to the configuration. */
function frozen<T>(value: T): T {
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
