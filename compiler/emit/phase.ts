import { hasMatch } from "../plan/pipeline.js";
import type { Condition, PlannedPipeline, Step, StepPhase } from "../plan/plan.js";
import { type PluginDefinition, RESOURCE_NAME } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionCode } from "./condition.js";
import { broken, flat, group, invert, isFalse, isTrue, type Logical } from "./expression.js";
import { indented, WIDTH } from "./layout.js";
import { pluginPrinter } from "./printer.js";
import { nameFromWords, printNote } from "./printers.js";
import { ModuleScope } from "./scope.js";
import { pluginTemplate } from "./templates.js";

/** Declarations are the step's own. */
const NEEDS_BLOCK = /^\s*(?:const|let) /m;
/** Columns before the body of a phase. */
const BODY = 4;

/** The scope of a module, with the constants that hold what the pipeline keeps open. */
export function defineResources(pipeline: PlannedPipeline): ModuleScope {
  const counted = new ModuleScope();
  addResources(pipeline, counted);
  const scope = new ModuleScope(counted);
  addResources(pipeline, scope);
  return scope;
}

function addResources(pipeline: PlannedPipeline, scope: ModuleScope): void {
  for (const { plugin: name, origin, data } of pipeline.resources ?? []) {
    const plugin = findPlugin(name);
    const code = plugin?.resource?.(data, pluginPrinter(scope, WIDTH, name));
    if (code !== undefined)
      scope.resources.set(name, scope.constant(resourceName(plugin, data), code.text, `${origin} ${name}`));
  }
}

/** What the constant that holds a resource is called. */
export function resourceName(plugin: PluginDefinition | undefined, data: unknown): string {
  const words = plugin?.resourceName?.(data);
  return words === undefined ? (plugin?.keeps ?? RESOURCE_NAME) : nameFromWords(words);
}

/** The methods of the module, each ending in a comma, blank lines between; phases without a step are left out. */
export function phaseMethods(pipeline: PlannedPipeline, scope: ModuleScope): string {
  const methods: string[] = [];
  if (pipeline.match !== null && hasMatch(pipeline)) methods.push(matchMethod(pipeline.match, scope));
  for (const phase of ["rewrite", "access", "headerFilter", "acknowledge", "log"] as const) {
    const body = phaseBody(phase, pipeline.steps, scope);
    if (body !== "") methods.push(method(waits(phase, pipeline.steps) ? `async ${phase}` : phase, body));
  }
  return methods.join("\n\n");
}

/** Only where a step has something to wait for: a phase without a promise costs less. */
function waits(phase: StepPhase, steps: readonly Step[]): boolean {
  if (phase !== "access") return false;
  return steps.some((step) => step.phase === phase && findPlugin(step.plugin)?.waits === true);
}

function method(name: string, body: string): string {
  return indented(`${name}(x) {\n${indented(body, "  ")}\n},`, "  ");
}

function matchMethod(condition: Condition, scope: ModuleScope): string {
  const tree = conditionCode(condition, scope);
  if (isTrue(tree) || isFalse(tree)) return `  match() {\n    return ${isTrue(tree)};\n  },`;
  const line = `return ${flat(tree)};`;
  const code = line.length + BODY <= WIDTH ? line : `return (\n  ${broken(tree, "  ", WIDTH - BODY)}\n);`;
  return method("match", `// ${printNote(firstOrigin(condition))} vars\n${code}`);
}

/** Where a condition begins: groups have no place of their own. */
function firstOrigin(condition: Condition): string {
  if (condition.kind === "compare") return condition.origin;
  if (condition.kind === "always") return "";
  return condition.items.map(firstOrigin).find((origin) => origin !== "") ?? "";
}

/** One step returns early when its guard does not hold; several stand in blocks, so that none ends the others. */
function phaseBody(phase: StepPhase, steps: readonly Step[], scope: ModuleScope): string {
  const own = steps.filter((step) => step.phase === phase);
  const printed = own.map((step) => {
    const guards = guardsOf(step, scope).filter((guard) => !isTrue(guard.tree));
    if (guards.some((guard) => isFalse(guard.tree))) return "";
    const width = WIDTH - BODY - (own.length > 1 ? 2 : 0);
    const code = stepCode(step, scope, width);
    return code === ""
      ? ""
      : own.length > 1
        ? asBlock(step, guards, code)
        : asEarlyReturn(step, guards, code);
  });
  return printed.filter((code) => code !== "").join("\n\n");
}

interface PrintedGuard {
  note: string;
  tree: Logical;
}

function guardsOf(step: Step, scope: ModuleScope): PrintedGuard[] {
  const guards: PrintedGuard[] = [];
  if (step.filter !== null) {
    const note = `${firstOrigin(step.filter)} ${step.plugin}._meta.filter`;
    guards.push({ note, tree: conditionCode(step.filter, scope) });
  }
  const own = findPlugin(step.plugin)?.guard?.(step) ?? null;
  if (own !== null)
    guards.push({ note: `${own.origin} ${own.field}`, tree: conditionCode(own.condition, scope) });
  return guards;
}

function stepCode(step: Step, scope: ModuleScope, width: number): string {
  const plugin = findPlugin(step.plugin);
  if (plugin === undefined) return "";
  const view = plugin.view(step, pluginPrinter(scope, width, step.plugin));
  return pluginTemplate(plugin, step.phase)(view).trimEnd();
}

function asEarlyReturn(step: Step, guards: readonly PrintedGuard[], code: string): string {
  if (guards.length === 0) return `// ${printNote(`${step.origin} ${step.plugin}`)}\n${code}`;
  const returns = guards.map(({ note, tree }) => {
    const unless = invert(tree);
    const line = `if (${flat(unless)}) return;`;
    const fits = line.length + BODY <= WIDTH;
    return `// ${printNote(note)}\n${fits ? line : `${brokenIf(unless, WIDTH - BODY)}\n  return;\n}`}`;
  });
  return `${returns.join("\n")}\n\n${code}`;
}

function asBlock(step: Step, guards: readonly PrintedGuard[], code: string): string {
  const notes = guards.length === 0 ? [`${step.origin} ${step.plugin}`] : guards.map((guard) => guard.note);
  const comments = notes.map((note) => `// ${printNote(note)}\n`).join("");
  if (guards.length === 0)
    return NEEDS_BLOCK.test(code) ? `${comments}{\n${indented(code, "  ")}\n}` : `${comments}${code}`;
  const tree = group(
    "&&",
    guards.map((guard) => guard.tree),
  );
  const line = `if (${flat(tree)}) {`;
  const head = line.length + BODY <= WIDTH ? line : brokenIf(tree, WIDTH - BODY);
  return `${comments}${head}\n${indented(code, "  ")}\n}`;
}

function brokenIf(tree: Logical, width: number): string {
  return `if (\n  ${broken(tree, "  ", width)}\n) {`;
}
