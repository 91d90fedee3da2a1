import type { DiffSimulator, SampleRequest } from "./sample-request.js";

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
