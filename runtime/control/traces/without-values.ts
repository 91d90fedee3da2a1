import type { Trace, TraceFields } from "../../abi/trace.js";
import { MASK } from "../../logging/redaction.js";

/** Returns the trace without values: only names of headers, and parts that no variable can contain. */
export function withoutValues(trace: Trace): Trace {
  const { request, route, upstream_request: sent, upstream_response: received, response } = trace;
  const message = <T extends { headers: TraceFields }>(one: T): T => ({
    ...one,
    headers: one.headers.map(([name]): [string, string] => [name, MASK]),
  });
  const shown = (value: string | null) => value && MASK;
  return {
    ...trace,
    request: { ...message(request), target: MASK },
    route: route && {
      ...{ ...route, name: shown(route.name) },
      ...{ hosts: route.hosts.map(() => MASK), uris: route.uris.map(() => MASK) },
    },
    attempts: trace.attempts.map((attempt) => ({ ...attempt, node: MASK })),
    upstream_request: sent && { ...message(sent), target: MASK, host: MASK },
    upstream_response: received && message(received),
    response: message(response),
    phases: trace.phases.map((phase) => ({
      ...phase,
      steps: phase.steps.map((step) => ({
        ...step,
        condition: shown(step.condition),
        changes: step.changes.map((change) => ({
          ...change,
          before: shown(change.before),
          after: shown(change.after),
        })),
      })),
    })),
  };
}
