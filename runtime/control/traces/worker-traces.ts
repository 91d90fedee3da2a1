import type { ControlCompiler } from "../compiler.js";
import type { Configuration } from "../configuration.js";
import type { Workers } from "../workers.js";
import { Traces } from "./traces.js";

export function tracesOf(
  workers: Workers,
  configuration: Configuration,
  compiler: ControlCompiler | null,
  generation: () => number,
): Traces {
  const traces = new Traces({
    send: () => workers.trace(() => traces.orders),
    told: compiler && ((trace) => compiler.redactTrace(trace)),
    settled: () => configuration.settled(),
    generation,
  });
  workers.traced = (ids, trace) => traces.heard(ids, trace);
  return traces;
}
