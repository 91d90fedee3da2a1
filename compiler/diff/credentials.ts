import type { DiffSimulator, SampleRequest } from "./sample-request.js";

/** Probes that are tried with a credential when none shows a difference without. */
const MOST = 40;

/** The probes, and then the same with what a client would authenticate itself with: most of an API lies behind that. */
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
