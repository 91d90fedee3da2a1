import { TASK_TYPES } from "../../captcha-table.js";
import type {
  AnswerRequest,
  NextRequest,
  PatienceRequest,
  PowAnswer,
  ProgramRequest,
  SessionRequest,
  TaskReply,
} from "../protocol.js";
import {
  anyText,
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from "../score/shape.js";
import { TRAIL } from "../score/trail.js";

/** 128 bits, base64url. */
const ID = /^[A-Za-z0-9_-]{22}$/;
const DAY_MS = 86_400_000;

export const SESSION_REQUEST: Shape<SessionRequest> = object<SessionRequest>({
  site_key: anyText(64),
  origin: anyText(300),
  action: optional(text(/^[A-Za-z0-9_-]{1,32}$/)),
});

/** pow/proof.ts checks the content: the audit records a wrong proof. */
const POW_ANSWER: Shape<PowAnswer> = object({
  id: text(ID),
  answers: listOf(number(-Number.MAX_VALUE, Number.MAX_VALUE), 64),
  memory: optional(listOf(anyText(64), 64)),
  ms: number(0, DAY_MS),
});

/** score/telemetry.ts reads `telemetry`: a frame of another version gets a task, not an error. */
export interface TickRequest {
  session: string;
  pow: PowAnswer;
  telemetry?: unknown;
  /** Any value, for the same reason; program/answer.ts reads it. */
  program?: unknown;
}
const anything = (_value: unknown): _value is unknown => true;
export const TICK_REQUEST: Shape<TickRequest> = object<TickRequest>({
  session: text(ID),
  pow: POW_ANSWER,
  telemetry: anything,
  program: anything,
});

export const PROGRAM_REQUEST: Shape<ProgramRequest> = object<ProgramRequest>({ session: text(ID) });

export const NEXT_REQUEST: Shape<NextRequest> = object<NextRequest>({
  session: text(ID),
  type: optional(oneOf(...TASK_TYPES)),
  pow: optional(POW_ANSWER),
});

export const PATIENCE_REQUEST: Shape<PatienceRequest> = object<PatienceRequest>({
  session: text(ID),
  trail: TRAIL,
  pow: optional(POW_ANSWER),
});

const CELLS: Shape<{ cells: number[] }> = object({ cells: listOf(integer(0, 11), 12) });
const ANGLES: Shape<{ angles: number[] }> = object({ angles: listOf(number(0, 360), 5, 4) });
const TEXT: Shape<{ text: string }> = object({ text: anyText(64) });
const reply = (value: unknown): value is TaskReply => CELLS(value) || ANGLES(value) || TEXT(value);

export const ANSWER_REQUEST: Shape<AnswerRequest> = object<AnswerRequest>({
  session: text(ID),
  reply,
  trail: TRAIL,
});
