import { createHash } from "node:crypto";
import { makeProgram, type Program } from "../../../../plugins/captcha/service/program/make.js";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";

/** 1,000 seeds an engine in the long form. */
const SEEDS = process.env["GWC_ATTACK"] === "long" ? 1_000 : 150;
/** Programs that an engine runs at one go. */
export const BATCH = 50;

/** The same in every engine. */
export const programs: readonly Program[] = Array.from({ length: SEEDS }, (_, i) =>
  makeProgram(createHash("sha256").update(`seed ${i}`).digest()),
);

/** What became of a program in an engine. */
export interface Run {
  answer: ProgramAnswer;
  ms: number;
  /** What is left in the document, and what has the focus. */
  left: string;
}

/** Rows that are not exactly what the formula says; zoom, which may move lengths by one, is not on. */
export const differences = ({ rows }: Program, { answer }: Pick<Run, "answer">): unknown[] =>
  rows.flatMap(({ answer: expected }, i) =>
    JSON.stringify(expected) === JSON.stringify(answer.rows[i]) ? [] : [{ expected, got: answer.rows[i] }],
  );
