import { hasMatch } from "../4-plan/pipeline.js";
import type { Condition, ConfigPath, PlannedPipeline, Step, StepPhase } from "../model/plan.js";
import { type PluginDefinition, RESOURCE_NAME } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionCode } from "./condition.js";
import { broken, flat, group, invert, isFalse, isTrue, type Logical } from "./expression.js";
import { indented, WIDTH } from "./layout.js";
import { pathTests } from "./path-tests.js";
import { mentions, type Part, PhaseLocals } from "./phase-locals.js";
import { pluginPrinter } from "./printer.js";
import { nameFromWords, printNote } from "./printers.js";
import { ModuleScope } from "./scope.js";
import { columnsOf, withoutTags } from "./tag.js";
import { pluginTemplate } from "./templates.js";

/** Matches code with declarations, which must be local to the step. */
const NEEDS_BLOCK = /^\s*(?:const|let) /m;
/** Columns before the body of a phase. */
const BODY = 4;

/**
 * Scope of a module, with the constants that hold the pipeline's shared resources. A first pass counts
 * repeated values.
 */
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
    const code = plugin?.resource?.(data, pluginPrinter(scope, WIDTH, name, origin));
    if (code !== undefined)
      scope.resources.set(
        name,
        scope.constant(resourceConstantName(plugin, data), scope.from(origin, code.text), origin),
      );
  }
}

/** Name of the constant that holds a shared resource. */
export function resourceConstantName(plugin: PluginDefinition | undefined, data: unknown): string {
  const words = plugin?.resourceLabel?.(data);
  return words === undefined ? (plugin?.resourceConstant ?? RESOURCE_NAME) : nameFromWords(words);
}

/**
 * Methods of the module, each ending in a comma, separated by blank lines. Phases without a step are left
 * out.
 */
export function phaseMethods(pipeline: PlannedPipeline, scope: ModuleScope): string {
  const methods: string[] = [];
  if (pipeline.match !== null && hasMatch(pipeline))
    methods.push(matchMethod(pipeline.match, pipeline.origin, scope));
  for (const phase of ["rewrite", "access", "headerFilter", "acknowledge", "log"] as const) {
    const body = phaseBody(phase, pipeline.steps, scope);
    if (body !== "") methods.push(method(waits(phase, pipeline.steps) ? `async ${phase}` : phase, body));
    if (phase !== "access") continue;
    const capture = phaseBody(
      phase,
      pipeline.steps.filter((step) => step.capturesRequest),
      scope,
    );
    if (capture !== "") methods.push(method("captureRequest", capture));
  }
  const tests = pathTests(pipeline, scope.reusing());
  if (tests.length > 0) methods.push(method("pathTests", testsBody(tests)));
  return methods.join("\n\n");
}

function testsBody(tests: readonly string[]): string {
  const line = `return [${tests.join(", ")}];`;
  return columnsOf(line) + BODY <= WIDTH
    ? line
    : `return [\n${tests.map((test) => `  ${test},`).join("\n")}\n];`;
}

/** Reports whether a step awaits something: a phase without a promise costs less. */
function waits(phase: StepPhase, steps: readonly Step[]): boolean {
  if (phase !== "access") return false;
  return steps.some((step) => step.phase === phase && findPlugin(step.plugin)?.asyncAccess === true);
}

/** Prints a method. An unused exchange parameter is called "_". */
function method(name: string, body: string): string {
  const parameter = /\bx\b/.test(body) ? "x" : "_";
  return indented(`${name}(${parameter}) {\n${indented(body, "  ")}\n},`, "  ");
}

function matchMethod(condition: Condition, route: ConfigPath, scope: ModuleScope): string {
  const { printed, declared } = withLocals(scope, false, (reads) => {
    reads.isGuard = true;
    const tree = conditionCode(condition, scope);
    return { printed: tree, parts: [{ step: 0, place: 0, text: flat(tree) }] };
  });
  if (isTrue(printed) || isFalse(printed)) return `  match() {\n    return ${isTrue(printed)};\n  },`;
  const line = `return ${flat(printed)};`;
  const code =
    columnsOf(line) + BODY <= WIDTH ? line : `return (\n  ${broken(printed, "  ", WIDTH - BODY)}\n);`;
  const note = printNote(firstOrigin(condition) ?? `${route} vars`);
  return method("match", `${declared(0, 0)}// ${note}\n${code}`);
}

/** Config path of the first comparison, since groups have none. */
function firstOrigin(condition: Condition): ConfigPath | undefined {
  if (condition.kind === "compare") return condition.origin;
  if (condition.kind === "always") return undefined;
  return condition.items.map(firstOrigin).find((origin) => origin !== undefined);
}

/**
 * Prints the steps of a phase. A single step returns early if its guard is false; several are blocks, so that
 * none ends the others.
 */
function phaseBody(phase: StepPhase, steps: readonly Step[], scope: ModuleScope): string {
  const own = steps.filter((step) => step.phase === phase && !neverRuns(step, scope));
  if (own.length === 0) return "";
  const isAlone = own.length === 1;
  const width = WIDTH - BODY - (isAlone ? 0 : 2);
  const { printed, declared } = withLocals(scope, !isAlone, (reads) => {
    const printed = own.flatMap((step, index) => printStep(step, index, width, scope, reads));
    return { printed, parts: printed.flatMap(partsOf) };
  });
  const asCode = isAlone ? asEarlyReturn : asBlock;
  return printed.map((step) => asCode(step, declared)).join("\n\n");
}

/** Reports whether a guard is always false. Imports and constants of the test print are dropped. */
function neverRuns(step: Step, scope: ModuleScope): boolean {
  if (conditionsOf(step).length === 0) return false;
  const forget = scope.mark();
  const never = guardsOf(step, scope).some((guard) => isFalse(guard.tree));
  forget();
  return never;
}

/** Prints a step; empty if it does nothing. */
function printStep(
  step: Step,
  index: number,
  width: number,
  scope: ModuleScope,
  reads: PhaseLocals,
): PrintedStep[] {
  Object.assign(reads, { step: index, isGuard: true });
  const guards = guardsOf(step, scope).filter((guard) => !isTrue(guard.tree));
  reads.isGuard = false;
  const code = stepCode(step, scope, width);
  if (code === "") return [];
  // Behind guards, the comment above belongs to a guard.
  return [{ step, index, guards, code: guards.length === 0 ? code : ofStep(code, step, scope) }];
}

/**
 * Tags statements without a setting with the config path of the step. Indented lines belong to the line
 * above.
 */
function ofStep(code: string, { origin }: Step, scope: ModuleScope): string {
  const lines = code.split("\n").map((line) => {
    if (!/^[^\s)\]}]/.test(line) || line !== withoutTags(line)) return line;
    return line + scope.from(origin, "");
  });
  return lines.join("\n");
}

function partsOf({ index, guards, code }: PrintedStep): Part[] {
  return [
    ...guards.map(({ tree }, place) => ({ step: index, place, text: flat(tree) })),
    { step: index, place: "code" as const, text: code },
  ];
}

/** Prints the declarations of locals for a position in a step. */
type Declared = (step: number, place: Part["place"] | "outside") => string;

/**
 * Prints a phase, and again if it reads a variable twice. A local is declared before the first part that
 * reads it. If steps are blocks, it is declared before the block unless only the block's code reads it.
 */
function withLocals<T>(
  scope: ModuleScope,
  inBlocks: boolean,
  print: (reads: PhaseLocals) => { printed: T; parts: Part[] },
): { printed: T; declared: Declared } {
  const reads = new PhaseLocals();
  scope.phase = reads;
  const forget = scope.mark();
  let { printed, parts } = print(reads);
  const locals = reads.keep(parts, (name) => scope.isTaken(name));
  if (locals.length > 0) {
    forget();
    ({ printed, parts } = print(reads));
  }
  scope.phase = undefined;
  const homes = locals.map(({ name, code }) => {
    const users = parts.filter(({ text }) => mentions(text, name));
    const [first] = users;
    const isOutside = inBlocks && (users.length > 1 || first?.place !== "code");
    return {
      line: `const ${name} = ${code};\n`,
      step: first?.step,
      place: isOutside ? "outside" : first?.place,
    };
  });
  const declared: Declared = (step, place) =>
    homes.flatMap((home) => (home.step === step && home.place === place ? [home.line] : [])).join("");
  return { printed, declared };
}

interface PrintedStep {
  step: Step;
  index: number;
  guards: readonly PrintedGuard[];
  code: string;
}

interface PrintedGuard {
  note: string;
  tree: Logical;
}

function guardsOf(step: Step, scope: ModuleScope): PrintedGuard[] {
  return conditionsOf(step).map(({ origin, condition }) => ({
    note: origin,
    tree: conditionCode(condition, scope),
  }));
}

/** Conditions that must all be true for the step to run. */
function conditionsOf(step: Step): { origin: ConfigPath; condition: Condition }[] {
  const { filter } = step;
  const own = findPlugin(step.plugin)?.guard?.(step) ?? null;
  return [
    ...(filter === null
      ? []
      : [{ origin: firstOrigin(filter) ?? `${step.origin}._meta.filter`, condition: filter }]),
    ...(own === null ? [] : [own]),
  ];
}

function stepCode(step: Step, scope: ModuleScope, width: number): string {
  const plugin = findPlugin(step.plugin);
  if (plugin === undefined) return "";
  const view = plugin.view(step, pluginPrinter(scope, width, step.plugin, step.origin));
  return pluginTemplate(plugin, step.phase)(view).trimEnd();
}

function asEarlyReturn({ step, index, guards, code }: PrintedStep, declared: Declared): string {
  const inside = `${declared(index, "code")}${code}`;
  if (guards.length === 0) return `// ${printNote(step.origin)}\n${inside}`;
  const returns = guards.map(({ note, tree }, place) => {
    const unless = invert(tree);
    const line = `if (${flat(unless)}) return;`;
    const fits = columnsOf(line) + BODY <= WIDTH;
    const test = fits ? line : `${brokenIf(unless, WIDTH - BODY)}\n  return;\n}`;
    return `${declared(index, place)}// ${printNote(note)}\n${test}`;
  });
  return `${returns.join("\n")}\n\n${inside}`;
}

function asBlock({ step, index, guards, code }: PrintedStep, declared: Declared): string {
  const inside = `${declared(index, "code")}${code}`;
  const notes = guards.length === 0 ? [step.origin] : guards.map((guard) => guard.note);
  const before = [declared(index, "outside"), ...notes.map((note) => `// ${printNote(note)}\n`)].join("");
  if (guards.length === 0)
    return NEEDS_BLOCK.test(inside) ? `${before}{\n${indented(inside, "  ")}\n}` : `${before}${inside}`;
  const tree = group(
    "&&",
    guards.map((guard) => guard.tree),
  );
  const line = `if (${flat(tree)}) {`;
  const head = columnsOf(line) + BODY <= WIDTH ? line : brokenIf(tree, WIDTH - BODY);
  return `${before}${head}\n${indented(inside, "  ")}\n}`;
}

function brokenIf(tree: Logical, width: number): string {
  return `if (\n  ${broken(tree, "  ", width)}\n) {`;
}
