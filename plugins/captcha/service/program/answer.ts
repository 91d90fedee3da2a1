import type { ProgramAnswer } from "../protocol.js";
import { integer, listOf, nullable, number, object, oneOf, type Shape, text } from "../score/shape.js";

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
