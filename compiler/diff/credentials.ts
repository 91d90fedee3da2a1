import type { Probe, Trial } from "./probe.js";

/** Probes that are tried with a credential when none shows a difference without. */
const MOST = 40;

/** The probes, and then the same with what a client would authenticate itself with: most of an API lies behind that. */
export function* withCredentials(trial: Trial, probes: Iterable<Probe>): Generator<Probe> {
  const tried: Probe[] = [];
  for (const probe of probes) {
    if (tried.length < MOST) tried.push(probe);
    yield probe;
  }
  for (const { header, value } of trial.credentials)
    for (const probe of tried) yield { ...probe, headers: [...probe.headers, [header, value]] };
}
