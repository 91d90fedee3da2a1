import { createHash } from "node:crypto";
import { makeProgram, type Program } from "../../../../plugins/captcha/service/program/make.js";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";

/** Number of seeds: 1,000 for each engine in the long form. */
const SEEDS = process.env["GWC_ATTACK"] === "long" ? 1_000 : 150;
/** Programs that an engine runs at once. */
export const BATCH = 50;

/** Programs, the same in every engine. */
export const programs: readonly Program[] = Array.from({ length: SEEDS }, (_, i) =>
  makeProgram(createHash("sha256").update(`seed ${i}`).digest()),
);

/** Result of a program in an engine. */
export interface Run {
  answer: ProgramAnswer;
  ms: number;
  /** Remaining content of the document, and the focused element. */
  left: string;
}

/** Rows that differ from the formula; zoom, which may change lengths by one, is off. */
export const differences = ({ rows }: Program, { answer }: Pick<Run, "answer">): unknown[] =>
  rows.flatMap(({ answer: expected }, i) =>
    JSON.stringify(expected) === JSON.stringify(answer.rows[i]) ? [] : [{ expected, got: answer.rows[i] }],
  );
