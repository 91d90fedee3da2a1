import type { ProgramAnswer } from "../protocol.js";
import type { SignalCode } from "../score/model.js";
import { integer, listOf, nullable, number, object, oneOf, type Shape, text } from "../score/shape.js";
import { digestOf } from "./digest.js";
import type { ExpectedRow, Program } from "./make.js";

const DAY_MS = 86_400_000;
const NUMBER = number(-(2 ** 31), 2 ** 32);
const SAMPLE = listOf(integer(0, DAY_MS), 2, 2) as Shape<[number, number]>;

const ANSWER: Shape<ProgramAnswer> = object<ProgramAnswer>({
  state: oneOf("run", "hidden", "threw"),
  rows: listOf(nullable(listOf(NUMBER, 32)), 32),
  samples: listOf(SAMPLE, 8, 1),
  digest: text(/^[0-9a-f]{16}$/),
});

/** Undefined for a missing answer or one of another version, which leads to a task, not an error. */
export const programAnswerOf = (value: unknown): ProgramAnswer | undefined =>
  ANSWER(value) ? value : undefined;

/** Lifetime; a frame requests another program before the end. */
export const PROGRAM_MS = 60_000;
/** Minimum among the answered rows. */
const RIGHT_SHARE = 0.9;
/** Missing or zero rows: an extension or a new engine lacks one or two features, an emulation most. */
const MAX_EMPTY = 2;
/** Clock resolution of browsers that resist fingerprinting. */
const COARSE_MS = 200;
/** Maximum drift of a frame's clock against the service's in a minute. */
const DRIFT_MS = 1_000;

export type ProgramCode = Extract<SignalCode, `program_${string}`>;

export interface Tick {
  answer: ProgramAnswer | undefined;
  /** Untrusted, as the frame has sent it. */
  telemetry: unknown;
  /** Time since the program was sent. */
  ms: number;
}

/** Undefined if a browser ran the program for this session, otherwise the reason for a task. */
export function programVerdict(program: Program | undefined, tick: Tick): ProgramCode | undefined {
  const { answer, ms } = tick;
  if (program === undefined || answer === undefined) return "program_missing";
  if (ms > PROGRAM_MS) return "program_late";
  if (answer.digest !== digestOf(program.key, answer, tick.telemetry) || !inTime(program.times, answer, ms))
    return "program_unbound";
  if (answer.state !== "run") return "program_not_run";
  return isRight(program.rows, answer.rows) ? undefined : "program_wrong";
}

/**
 * Requires as many samples as were due at the tick, none early, out of order or in the future. The last one
 * is the tick's. Late ones are normal: hidden pages have slow timers.
 */
function inTime(times: readonly number[], { samples }: ProgramAnswer, ms: number): boolean {
  const end = samples.at(-1)?.[0] ?? 0;
  if (end > ms + DRIFT_MS) return false;
  const taken = samples.slice(0, -1);
  const sure = times.filter((time) => time <= end - COARSE_MS).length;
  const possible = times.filter((time) => time <= end + COARSE_MS).length;
  if (taken.length < sure || taken.length > possible) return false;
  return samples.every(([at, moves], i) => {
    const [before, less] = samples[i - 1] ?? [0, 0];
    return at >= before && moves >= less && (i === taken.length || at >= (times[i] ?? 0) - COARSE_MS);
  });
}

function isRight(expected: readonly ExpectedRow[], rows: ProgramAnswer["rows"]): boolean {
  if (rows.length !== expected.length) return false;
  let [right, answered, empty] = [0, 0, 0];
  expected.forEach(({ answer, slack }, i) => {
    const given = rows[i] ?? null;
    if (given === null || given.length === 0) {
      empty++;
      return;
    }
    answered++;
    const same = given.length === answer.length && given.every((value, k) => near(value, answer[k], slack));
    if (same) right++;
    else if (given.every((value) => value === 0)) empty++;
  });
  return empty <= MAX_EMPTY && right >= RIGHT_SHARE * answered;
}

const near = (value: number, expected = Number.NaN, slack: number): boolean =>
  Math.abs(value - expected) <= slack;
