import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Located } from "../parse/source.js";
import type { Condition, Origin, Step } from "../plan/plan.js";

/** What a plugin needs from the plan step while it turns its settings into steps. */
export interface PlanContext {
  /** Where findings go; a plugin that reports an error may return any steps, they are not used. */
  report(diagnostic: Diagnostic): void;
  /** Address of a part of the settings, for step and action origins. */
  origin(path: readonly (string | number)[]): Origin;
}

/** Meaning of one plugin: the only hand-written compile-time code that knows its name. Settings already fit its schema. */
export interface PluginDefinition {
  /** Stem of schema, template, runtime, documentation and test files. */
  name: string;
  /** Checks beyond the schema, and the steps, without `filter`, which the plan step adds from `_meta`. */
  plan(settings: Located<Record<string, unknown>>, context: PlanContext): Omit<Step, "filter" | "plugin">[];
  /** What `templates/plugins/<name>.<phase>.hbs` prints for a step. */
  view(step: Step, printer: PluginPrinter): Record<string, unknown>;
}

/** What views are made with; each result is code that is safe to print. Extended by the emit step. */
export interface PluginPrinter {
  condition(condition: Condition): string;
}
