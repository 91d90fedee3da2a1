import type { PlannedPipeline, Step } from "../../compiler/model/plan.js";
import type { State } from "./state.js";

/** What a step of a plugin does: the same meaning again, sharing no code with the emitter. `oracle` of its `oracle.ts`. */
export type OracleStep = (step: Step, state: State, pipeline: PlannedPipeline) => void;
