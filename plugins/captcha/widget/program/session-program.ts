import type { ProgramAnswer, ProgramShown, Telemetry } from "../../service/protocol.js";
import type { WatchedProgram } from "../box/flow.js";
import { runProgram } from "./run.js";
import { type SampleParts, Samples } from "./samples.js";

export class SessionProgram implements WatchedProgram {
  readonly #program: ProgramShown;
  readonly #samples: Samples;

  constructor(program: ProgramShown, parts: SampleParts) {
    this.#program = program;
    this.#samples = new Samples(program, parts);
  }

  get left(): number {
    return this.#program.ttl_ms - this.#samples.age;
  }

  answer(telemetry: Telemetry): ProgramAnswer {
    return runProgram(this.#program, this.#samples.take(), telemetry);
  }
}
