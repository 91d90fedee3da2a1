import { digestOf } from "../../service/program/digest.js";
import type { ProgramAnswer, ProgramShown, Telemetry } from "../../service/protocol.js";
import { readCode } from "./code.js";
import { Machine } from "./machine.js";

type Result = Pick<ProgramAnswer, "state" | "rows">;

/** Never throws: a failure of the browser is a result. @param samples all that were due, and the tick's */
export function runProgram(
  { code, key }: Pick<ProgramShown, "code" | "key">,
  samples: ProgramAnswer["samples"],
  telemetry: Telemetry,
): ProgramAnswer {
  const answer = { ...resultOf(code), samples };
  return { ...answer, digest: digestOf(key, answer, telemetry) };
}

function resultOf(code: string): Result {
  // In a hidden frame nothing has a size, and nobody ticks.
  if (document.visibilityState === "hidden" || innerWidth === 0) return { state: "hidden", rows: [] };
  const machine = new Machine(document);
  try {
    machine.run(readCode(code));
    return { state: "run", rows: machine.rows };
  } catch {
    return { state: "threw", rows: [] };
  }
}
