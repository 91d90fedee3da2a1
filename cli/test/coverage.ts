import { type Profiler, Session } from "node:inspector";
import { readNote } from "../../compiler/model/config-path.js";
import type { ConfigPath } from "../../compiler/model/plan.js";
import { locationsOf, type SourceLocations } from "../../compiler/model/source-locations.js";
import type { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";
import type { TestResult } from "./run.js";
import type { Suite } from "./suite.js";

/** Sorts line 9 before line 10. */
const byPlace = new Intl.Collator("en", { numeric: true });

/** Coverage of one kind of thing: routes, conditions or actions. */
interface Reached {
  total: number;
  reached: number;
  /** Things that no test reaches, each with its location in the configuration. */
  missed: { place: string; what: string }[];
}

export interface Coverage {
  routes: Reached;
  conditions: Reached;
  actions: Reached;
}

interface Thing {
  origin: ConfigPath;
  /** Undefined if it was reached. */
  missing: string | undefined;
}

/** Measures which routes took a request, which conditions had both results, and which actions ran. */
export function coverageOf(
  { compiled: { result } }: Suite,
  ran: readonly TestResult[],
  whole: SimulatedGateway,
  counts: ReadonlyMap<string, Counts>,
): Coverage {
  const { plan, artifact, resources = [] } = result ?? {};
  const places = locationsOf(resources);
  const taken = new Set(ran.map(({ route }) => route));
  const routes = (plan?.routes ?? []).map(({ row, origin }) => ({
    origin,
    missing: taken.has(row.id) ? undefined : `route "${row.id}" receives no request`,
  }));
  const matching = (plan?.routes ?? []).flatMap(({ row, pipeline }): Thing[] =>
    pipeline?.match == null
      ? []
      : [{ origin: `${pipeline.origin} vars`, missing: missingOutcome("vars", whole.outcomes(row.id)) }],
  );
  const inModules = (artifact?.modules ?? []).map(({ file, code }) =>
    thingsOf(code, counts.get(`${file}.js`) ?? (() => 0)),
  );
  return {
    routes: reachedOf(routes, places),
    conditions: reachedOf([...matching, ...inModules.flatMap(({ conditions }) => conditions)], places),
    actions: reachedOf(
      inModules.flatMap(({ actions }) => actions),
      places,
    ),
  };
}

function missingOutcome(what: string, { held, failed }: { held: boolean; failed: boolean }) {
  if (held && failed) return undefined;
  return !held && !failed ? `${what}: never evaluated` : `${what}: never ${held ? "false" : "true"}`;
}

/** Parts of a module; the statements of one plugin in one phase count as one action. */
function thingsOf(code: string, count: Counts): { conditions: Thing[]; actions: Thing[] } {
  const conditions: Thing[] = [];
  const actions = new Map<string, Thing>();
  for (const part of modulePartsOf(code)) {
    const runs = count(part.at);
    const { origin } = part;
    if (part.kind === "condition") {
      const into = count(part.into);
      const outcomes = { held: into > 0, failed: runs > into };
      const turned = { held: outcomes.failed, failed: outcomes.held };
      const missing = part.fails
        ? missingOutcome(origin.replace(/^.* /, "").replace(/\[.*/, ""), turned)
        : missingOutcome(part.text, outcomes);
      conditions.push({ origin, missing });
      continue;
    }
    const { plugin, phase } = part;
    const key = `${plugin} ${phase}`;
    const known = actions.get(key) ?? { origin, missing: `${plugin} never runs in ${phase}` };
    actions.set(key, runs > 0 ? { ...known, missing: undefined } : known);
  }
  return { conditions, actions: [...actions.values()] };
}

function reachedOf(things: readonly Thing[], places: SourceLocations): Reached {
  const missed = things.flatMap(({ origin, missing }) =>
    missing === undefined ? [] : [{ place: places.text(origin), what: missing }],
  );
  missed.sort((a, b) => byPlace.compare(a.place, b.place));
  return { total: things.length, reached: things.length - missed.length, missed };
}

export function joined(all: readonly Coverage[]): Coverage {
  const of = (kind: keyof Coverage): Reached => ({
    total: all.reduce((sum, one) => sum + one[kind].total, 0),
    reached: all.reduce((sum, one) => sum + one[kind].reached, 0),
    missed: all.flatMap((one) => one[kind].missed),
  });
  return { routes: of("routes"), conditions: of("conditions"), actions: of("actions") };
}

export function coverageText({ routes, conditions, actions }: Coverage): string {
  const lines = [routes, conditions, actions].flatMap(({ missed }) =>
    missed.map(({ place, what }) => `  ${place}: ${what}\n`),
  );
  const share = ({ reached, total }: Reached) => `${reached} of ${total}`;
  const head = `reached: ${share(routes)} routes, ${share(conditions)} conditions both ways, ${share(actions)} actions\n`;
  return lines.length === 0 ? head : `${head}not reached:\n${lines.join("")}`;
}

export type Counts = (offset: number) => number;

/** Counts the executed blocks of modules with V8's coverage, which needs no change of the modules. */
export class ExecutedCode {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Counts since the start by file name; a module that was loaded several times has the sum. */
  stop(): Map<string, Counts> {
    const loads = new Map<string, Profiler.FunctionCoverage[][]>();
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result)
        if (!url.includes(":")) loads.set(url, [...(loads.get(url) ?? []), functions]);
    });
    this.#session.disconnect();
    return new Map(
      [...loads].map(([url, all]): [string, Counts] => [
        url,
        (offset) => all.reduce((sum, functions) => sum + countAt(functions, offset), 0),
      ]),
    );
  }
}

/** Count of the innermost block. */
function countAt(functions: readonly Profiler.FunctionCoverage[], offset: number): number {
  let count = 0;
  let length = Number.POSITIVE_INFINITY;
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count: own } of ranges) {
      const isInside = startOffset <= offset && offset < endOffset;
      if (!isInside || endOffset - startOffset >= length) continue;
      length = endOffset - startOffset;
      count = own;
    }
  return count;
}

/** Statement of a module that coverage measures: an action by its execution, a condition by its results. */
type ModulePart =
  | { kind: "action"; plugin: string; phase: string; origin: ConfigPath; at: number }
  | {
      kind: "condition";
      text: string;
      origin: ConfigPath;
      at: number;
      /** Offset of the code that runs if it is true. */
      into: number;
      /** It is the negated `vars` or `_meta.filter` at `origin`: a request that fails the filter skips the plugin. */
      fails: boolean;
    };

const PHASE = /^ {2}(?:async )?(\w+)\(x\) \{$/;
const NOTE = /^\s*\/\/ (.+)$/;
const BRANCH = /^\s*(?:\} else )?if \(/;
const CONFIGURED = /\.(?:vars|_meta\.filter)(?:\[|$)/;
const PLUGIN = /plugins\.([^.[]+)/;

/** Reads config paths in source comments. `match`, a single expression, is excluded: the router shows its result. */
function modulePartsOf(code: string): ModulePart[] {
  const found: ModulePart[] = [];
  let phase: string | undefined;
  let origin: ConfigPath | undefined;
  let isFirst = false;
  let at = 0;
  const lines = code.split("\n");
  for (const [index, line] of lines.entries()) {
    const begins = PHASE.exec(line)?.[1];
    const note = NOTE.exec(line)?.[1];
    if (begins !== undefined) phase = begins === "match" ? undefined : begins;
    else if (line === "  },") phase = undefined;
    else if (note !== undefined) {
      origin = readNote(note) ?? origin;
      isFirst = true;
    } else if (phase !== undefined && origin !== undefined && /^ {4}/.test(line)) {
      const start = at + line.search(/\S/);
      const plugin = PLUGIN.exec(origin)?.[1];
      const branch = BRANCH.test(line) ? branchOf(lines, index, at) : undefined;
      if (branch !== undefined) {
        const fails = isFirst && branch.leaves && CONFIGURED.test(origin);
        found.push({ kind: "condition", origin, at: start, text: branch.text, into: branch.into, fails });
        isFirst = false;
      }
      if (
        branch === undefined &&
        plugin !== undefined &&
        /^\s*[\w$(]/.test(line) &&
        !/^\s*(?:const|let|return|\))/.test(line)
      )
        found.push({ kind: "action", plugin, phase, origin, at: start });
    }
    at += line.length + 1;
  }
  return found;
}

/** Text of a condition, which may span lines, and the offset of its consequence. */
function branchOf(lines: readonly string[], first: number, at: number) {
  const indent = lines[first]?.search(/\S/) ?? 0;
  let offset = at;
  for (let index = first; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const [, end = ""] = /\) (\{|[^){]*;)$/.exec(line) ?? [];
    if (end !== "" && line.search(/\S/) === indent) {
      const text = lines.slice(first, index + 1).map((one) => one.trim());
      const whole = text.join(" ");
      return {
        text: whole.slice(whole.indexOf("if ("), whole.length - end.length).trim(),
        leaves: end === "return;",
        into: offset + line.length - end.length,
      };
    }
    offset += line.length + 1;
  }
  return undefined;
}
