import type { Example, Outcome } from "./change.js";
import type { Observation, Probe, Trial } from "./probe.js";

/** Both sides in turns: what a clock or chance decides is not the same each time, or grows from one to the next. */
const ROUNDS = 3;

/** The first probe that both configurations answer differently, each time it is tried. */
export async function confirmed(trial: Trial, probes: Iterable<Probe>): Promise<Example | null> {
  for (const probe of probes) {
    const first = await both(trial, probe);
    if (first === undefined || differing([first]).length === 0) continue;
    const rounds = [first];
    while (rounds.length < ROUNDS) {
      const more = await both(trial, probe);
      if (more !== undefined) rounds.push(more);
      else break;
    }
    const differs = differing(rounds);
    if (differs.length === 0) continue;
    return { probe, before: outcomeOf(first.before), after: outcomeOf(first.after), differs };
  }
  return null;
}

interface Round {
  before: Observation;
  after: Observation;
}

async function both(trial: Trial, probe: Probe): Promise<Round | undefined> {
  const before = await trial.observe("before", probe);
  if (before === undefined) return undefined;
  const after = await trial.observe("after", probe);
  return after && { before, after };
}

/** What is the same on each side in all rounds, and not the same on both. */
function differing(rounds: readonly Round[]): Example["differs"] {
  const names = new Set(rounds.flatMap(({ before, after }) => [...before.seen.keys(), ...after.seen.keys()]));
  return [...names].sort().flatMap((name) => {
    const old = new Set(rounds.map(({ before }) => before.seen.get(name)));
    const fresh = new Set(rounds.map(({ after }) => after.seen.get(name)));
    const [[a], [b]] = [[...old], [...fresh]];
    return old.size === 1 && fresh.size === 1 && a !== b
      ? [{ name, before: a ?? null, after: b ?? null }]
      : [];
  });
}

const outcomeOf = ({ route, upstream, status }: Observation): Outcome => ({ route, upstream, status });
