import type { Example, Outcome } from "./change.js";
import type { DiffSimulator, Observation, SampleRequest } from "./simulator.js";

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

/** Maximum sample requests that are repeated with a credential if none shows a difference without. */
const MOST = 40;

/** Most of an API requires authentication. */
export function* withCredentials(
  trial: DiffSimulator,
  probes: Iterable<SampleRequest>,
): Generator<SampleRequest> {
  const tried: SampleRequest[] = [];
  for (const probe of probes) {
    if (tried.length < MOST) tried.push(probe);
    yield probe;
  }
  for (const { header, value } of trial.credentials)
    for (const probe of tried) yield { ...probe, headers: [...probe.headers, [header, value]] };
}
