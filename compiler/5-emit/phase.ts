import { hasMatch } from "../4-plan/pipeline.js";
import type { Condition, ConfigPath, PlannedPipeline, Step, StepPhase } from "../model/plan.js";
import { Code, code, EMPTY, firstUses, from, fromAll, joinCode } from "../plugin/code.js";
import { type PluginDefinition, RESOURCE_NAME } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { conditionCode } from "./condition.js";
import { broken, flat, group, invert, isFalse, isTrue, type Logical, presentIn } from "./expression.js";
import { onLines, WIDTH, withoutLastReturn } from "./layout.js";
import { pathTests } from "./path-tests.js";
import { type Part, PhaseLocals } from "./phase-locals.js";
import { pluginPrinter } from "./printer.js";
import { nameFromWords, printNote } from "./printers.js";
import { ModuleScope } from "./scope.js";
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
    const value = plugin?.resource?.(data, pluginPrinter(scope, WIDTH, name, origin));
    if (value === undefined) continue;
    const constant = scope.constant(resourceConstantName(plugin, data), from(origin, value), origin);
    scope.resources.set(name, constant);
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
export function phaseMethods(pipeline: PlannedPipeline, scope: ModuleScope): Code {
  const methods: Code[] = [];
  if (pipeline.match !== null && hasMatch(pipeline))
    methods.push(matchMethod(pipeline.match, pipeline.origin, scope));
  for (const phase of ["rewrite", "access", "headerFilter", "acknowledge", "log"] as const) {
    const body = phaseBody(phase, pipeline.steps, scope);
    if (body.length > 0) methods.push(method(waits(phase, pipeline.steps) ? `async ${phase}` : phase, body));
    if (phase !== "access") continue;
    const capture = phaseBody(
      phase,
      pipeline.steps.filter((step) => step.capturesRequest),
      scope,
    );
    if (capture.length > 0) methods.push(method("captureRequest", capture));
  }
  const tests = pathTests(pipeline, scope.reusing());
  if (tests.length > 0) methods.push(method("pathTests", testsBody(tests)));
  return joinCode(methods, "\n\n");
}

function testsBody(tests: readonly Code[]): Code {
  const line = code`return [${joinCode(tests, ", ")}];`;
  return line.length + BODY <= WIDTH ? line : code`return [${onLines(tests)}];`;
}

/** Reports whether a step awaits something: a phase without a promise costs less. */
function waits(phase: StepPhase, steps: readonly Step[]): boolean {
  if (phase !== "access") return false;
  return steps.some((step) => step.phase === phase && findPlugin(step.plugin)?.asyncAccess === true);
}

/** Prints a method. An unused exchange parameter is called "_". */
function method(name: string, body: Code): Code {
  const parameter = /\bx\b/.test(body.text) ? "x" : "_";
  return code`${new Code(`${name}(${parameter})`)} {\n  ${body}\n},`;
}

function matchMethod(condition: Condition, route: ConfigPath, scope: ModuleScope): Code {
  const { printed, declared } = withLocals(scope, false, (reads) => {
    reads.isUnchanged = true;
    const tree = conditionCode(condition, scope);
    return { printed: tree, parts: [{ step: 0, place: 0, code: flat(tree) }] };
  });
  if (isTrue(printed) || isFalse(printed)) return new Code(`match() {\n  return ${isTrue(printed)};\n},`);
  const line = code`return ${flat(printed)};`;
  const fits = line.length + BODY <= WIDTH;
  const result = fits ? line : code`return (\n  ${broken(printed, WIDTH - BODY - 2)}\n);`;
  return method("match", withNote(firstOrigin(condition) ?? `${route} vars`, result, declared(0, 0)));
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
function phaseBody(phase: StepPhase, steps: readonly Step[], scope: ModuleScope): Code {
  const own = steps.filter((step) => step.phase === phase && !neverRuns(step, scope));
  if (own.length === 0) return EMPTY;
  const isAlone = own.length === 1;
  const width = WIDTH - BODY - (isAlone ? 0 : 2);
  const { printed, declared } = withLocals(scope, !isAlone, (reads) => {
    const printed = own.flatMap((step, index) => printStep(step, index, width, scope, reads));
    return { printed, parts: printed.flatMap(partsOf) };
  });
  const asCode = isAlone ? asEarlyReturn : asBlock;
  const last = printed.at(-1);
  if (last !== undefined) last.code = withoutLastReturn(last.code);
  return joinCode(
    printed.map((step) => asCode(step, declared)),
    "\n\n",
  );
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
  Object.assign(reads, { step: index, isUnchanged: true });
  reads.present.clear();
  const guards = guardsOf(step, scope).filter((guard) => !isTrue(guard.tree));
  reads.isUnchanged = false;
  const printed = stepCode(step, scope, width);
  return printed.length === 0 ? [] : [{ step, index, guards, code: printed }];
}

function partsOf({ step, index, guards, code }: PrintedStep): Part[] {
  return [
    ...guards.map(({ tree, note }, place) => ({ step: index, place, code: from(note, flat(tree)) })),
    { step: index, place: "code" as const, code: from(step.origin, code) },
  ];
}

/** Prints the declarations of locals for a position in a step. */
type Declared = (step: number, place: Part["place"] | "outside") => Code;

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
  const used = locals.length === 0 ? [] : parts.map((part) => ({ ...part, uses: firstUses([part.code]) }));
  const homes = locals.map(({ name, code: value }) => {
    const users = used.filter(({ uses }) => uses.has(name));
    const [first] = users;
    const line = code`const ${new Code(name)} = ${value};\n`;
    const isOutside = inBlocks && (users.length > 1 || first?.place !== "code");
    return {
      line: fromAll(first?.uses.get(name) ?? [], line),
      step: first?.step,
      place: isOutside ? "outside" : first?.place,
    };
  });
  const declared: Declared = (step, place) =>
    joinCode(
      homes.flatMap((home) => (home.step === step && home.place === place ? [home.line] : [])),
      "",
    );
  return { printed, declared };
}

interface PrintedStep {
  step: Step;
  index: number;
  guards: readonly PrintedGuard[];
  code: Code;
}

interface PrintedGuard {
  note: string;
  tree: Logical;
}

function guardsOf(step: Step, scope: ModuleScope): PrintedGuard[] {
  return conditionsOf(step).map(({ origin, condition }) => {
    const tree = conditionCode(condition, scope);
    for (const name of presentIn(tree)) scope.phase?.present.add(name);
    return { note: origin, tree };
  });
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

function stepCode(step: Step, scope: ModuleScope, width: number): Code {
  const plugin = findPlugin(step.plugin);
  if (plugin === undefined) return EMPTY;
  const view = plugin.view(step, pluginPrinter(scope, width, step.plugin, step.origin));
  const { parts } = pluginTemplate(plugin, step.phase)(view);
  const last = parts.at(-1);
  return new Code(typeof last === "string" ? [...parts.slice(0, -1), last.trimEnd()] : parts);
}

/** Code below a comment that names its part of the configuration. @param before code above the comment */
function withNote(note: ConfigPath, inside: Code, before = EMPTY): Code {
  return code`${before}${from(note, code`// ${new Code(printNote(note))}\n${inside}`)}`;
}

function asEarlyReturn({ step, index, guards, code: inside }: PrintedStep, declared: Declared): Code {
  const body = code`${declared(index, "code")}${inside}`;
  if (guards.length === 0) return withNote(step.origin, body);
  const returns = guards.map(({ note, tree }, place) => {
    const unless = invert(tree);
    const line = code`if (${flat(unless)}) return;`;
    const fits = line.length + BODY <= WIDTH;
    const test = fits ? line : code`${brokenIf(unless, WIDTH - BODY)}\n  return;\n}`;
    return withNote(note, test, declared(index, place));
  });
  return code`${joinCode(returns, "\n")}${from(step.origin, code`\n\n${body}`)}`;
}

function asBlock({ step, index, guards, code: inside }: PrintedStep, declared: Declared): Code {
  const body = code`${declared(index, "code")}${inside}`;
  const outside = declared(index, "outside");
  if (guards.length === 0)
    return withNote(step.origin, NEEDS_BLOCK.test(body.text) ? code`{\n  ${body}\n}` : body, outside);
  const tree = group(
    "&&",
    guards.map((guard) => guard.tree),
  );
  const line = code`if (${flat(tree)}) {`;
  const head = line.length + BODY <= WIDTH ? line : brokenIf(tree, WIDTH - BODY);
  const test = guards.reduceRight((below, { note }) => withNote(note, below), head);
  return code`${outside}${test}${from(step.origin, code`\n  ${body}\n}`)}`;
}

function brokenIf(tree: Logical, width: number): Code {
  return code`if (\n  ${broken(tree, width - 2)}\n) {`;
}
