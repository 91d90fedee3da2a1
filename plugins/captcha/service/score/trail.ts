import type { TaskTrail } from "../protocol.js";
import { combine, type Score } from "./combine.js";
import type { SignalCode } from "./model.js";
import { integer, listOf, number, object, oneOf, type Shape } from "./shape.js";

/** A person needs longer to look at twelve shapes. */
const FIRST_STEP_MS = 250;
/** Minimum median between steps of a hand; typing is faster than pointing. */
const STEP_MS = { pointing: 90, typing: 25 };
/** Standard deviation over mean of the time between steps. */
const CLOCKWORK = 0.04;
const MIN_STEPS = 4;

export const TRAIL: Shape<TaskTrail> = object({
  steps: listOf(number(0, 3_600_000), 30),
  input: oneOf("mouse", "touch", "pen", "keyboard", "assistive", "mixed"),
  trusted: number(0, 1),
  pointer_samples: integer(0, 1_000_000),
});

/** Second score (reference 4.4), independent of the first: a visitor with a high one must be able to pass. */
export function trailScore(trail: TaskTrail): Score {
  const gaps = trail.steps.slice(1).map((step, i) => step - (trail.steps[i] ?? 0));
  const [first] = trail.steps;
  const found: SignalCode[] = [];
  if (trail.trusted < 1) found.push("steps_not_trusted");
  // An answer without steps was made by no hand.
  if (first === undefined || first < FIRST_STEP_MS) found.push("first_step_at_once");
  const fastest = trail.input === "keyboard" || trail.input === "mixed" ? STEP_MS.typing : STEP_MS.pointing;
  if (first === undefined || (gaps.length > 0 && median(gaps) < fastest)) found.push("steps_too_fast");
  // Switch control steps by a clock of its own.
  if (trail.input !== "assistive" && trail.steps.length >= MIN_STEPS && variation(gaps) < CLOCKWORK)
    found.push("steps_like_clockwork");
  if (trail.input === "mouse" && trail.pointer_samples < trail.steps.length)
    found.push("steps_without_pointer");
  return combine(found, false);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (mean <= 0) return 0;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return Math.sqrt(variance) / mean;
}
