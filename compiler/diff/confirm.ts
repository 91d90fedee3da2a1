import type { Example, Outcome } from "./change.js";
import type { DiffSimulator, Observation, SampleRequest } from "./sample-request.js";

export async function confirmed(
  trial: DiffSimulator,
  probes: Iterable<SampleRequest>,
): Promise<Example | null> {
  for (const probe of probes) {
    const before = await trial.observe("before", probe);
    if (before === undefined) continue;
    const after = await trial.observe("after", probe);
    if (after === undefined) continue;
    const differs = differing(before.seen, after.seen);
    if (differs.length > 0) return { probe, before: outcomeOf(before), after: outcomeOf(after), differs };
  }
  return null;
}

function differing(before: Observation["seen"], after: Observation["seen"]): Example["differs"] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].sort().flatMap((name) => {
    const [old, fresh] = [before.get(name) ?? null, after.get(name) ?? null];
    return old === fresh ? [] : [{ name, before: old, after: fresh }];
  });
}

const outcomeOf = ({ route, upstream, status }: Observation): Outcome => ({ route, upstream, status });
