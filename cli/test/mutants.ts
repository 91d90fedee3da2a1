import { type GeneratedModule, typescript } from "../../compiler/5-emit/typescript.js";
import { type PlannedPipeline, pipelinesOf, planOf } from "../../compiler/model/plan.js";
import { locationsOf } from "../../compiler/model/source-locations.js";
import { canonicalHash } from "../../runtime/abi/hash.js";
import type { SimulatedGateway } from "../../runtime/control/in-process/simulated-gateway.js";
import { isPassing, runSuite, type TestResult } from "./run.js";
import type { Suite } from "./suite.js";

export interface Mutation {
  total: number;
  noticed: number;
  unnoticed: { place: string; what: string }[];
}

interface Mutant {
  pipeline: PlannedPipeline;
  origin: string;
  what: string;
}

/** Mutants of a pipeline: one without each plugin, and one with each plugin's filter always true. */
function mutantsOf(pipeline: PlannedPipeline): Mutant[] {
  const { steps } = pipeline;
  return [...new Set(steps.map(({ plugin }) => plugin))].flatMap((plugin) => {
    const own = steps.filter((step) => step.plugin === plugin);
    const origin = own[0]?.origin ?? pipeline.origin;
    const others = steps.filter((step) => step.plugin !== plugin);
    const resources = pipeline.resources?.filter((resource) => resource.plugin !== plugin);
    const without = { ...pipeline, steps: others, ...(resources && { resources }) };
    const found = [{ pipeline: without, origin, what: `without ${plugin}` }];
    if (own.some(({ filter }) => filter !== null)) {
      const always = steps.map((step) => (step.plugin === plugin ? { ...step, filter: null } : step));
      const changed = { ...pipeline, steps: always };
      found.push({ pipeline: changed, origin, what: `with ${plugin} regardless of its filter` });
    }
    return found;
  });
}

/** Runs the tests that reach a pipeline on each mutant of it; a failed test detects the mutant. */
export async function mutationOf(
  suite: Suite,
  tests: Suite["tests"],
  ran: readonly TestResult[],
  whole: SimulatedGateway,
): Promise<Mutation> {
  const { plan, resources = [] } = suite.compiled.result ?? {};
  const places = locationsOf(resources);
  const found: Mutation = { total: 0, noticed: 0, unnoticed: [] };
  for (const pipeline of plan === undefined ? [] : pipelinesOf(plan)) {
    const reaching = tests.filter((_, i) => pipeline.kind === "global_rule" || ran[i]?.route === pipeline.id);
    if (reaching.length === 0) continue;
    for (const mutant of mutantsOf(pipeline)) {
      found.total++;
      const module = emitted(mutant.pipeline);
      const again = module === undefined ? [] : await runSuite(suite, reaching, whole, module.text);
      if (again.every(isPassing))
        found.unnoticed.push({ place: places.text(mutant.origin), what: mutant.what });
      else found.noticed++;
    }
  }
  return found;
}

function emitted(pipeline: PlannedPipeline): GeneratedModule | undefined {
  return typescript.emit(planOf({ globalRules: [pipeline] }), canonicalHash)[0];
}

export function mutationText({ total, noticed, unnoticed }: Mutation): string {
  const lines = unnoticed.map(({ place, what }) => `  ${place}: ${what}\n`);
  const head = `mutations detected: ${noticed} of ${total}\n`;
  return lines.length === 0 ? head : `${head}all tests still pass:\n${lines.join("")}`;
}

export const mutationsJoined = (all: readonly Mutation[]): Mutation => ({
  total: all.reduce((sum, one) => sum + one.total, 0),
  noticed: all.reduce((sum, one) => sum + one.noticed, 0),
  unnoticed: all.flatMap((one) => one.unnoticed),
});
