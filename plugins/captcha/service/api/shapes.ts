/** What the bodies of the frame API may look like (protocol.ts). */
import { TASK_TYPES } from "../../captcha-table.js";
import type { AnswerRequest, NextRequest, PowAnswer, SessionRequest, TaskReply } from "../protocol.js";
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

/** Content is checked against the challenge (pow/proof.ts): what is wrong with a proof is for the audit. */
const POW_ANSWER: Shape<PowAnswer> = object({
  id: text(ID),
  answers: listOf(number(-Number.MAX_VALUE, Number.MAX_VALUE), 64),
  ms: number(0, DAY_MS),
});

/** `telemetry` is looked at by score/telemetry.ts: a frame of another version gets a task, not an error. */
export interface TickRequest {
  session: string;
  pow: PowAnswer;
  telemetry?: unknown;
}
const anything = (_value: unknown): _value is unknown => true;
export const TICK_REQUEST: Shape<TickRequest> = object<TickRequest>({
  session: text(ID),
  pow: POW_ANSWER,
  telemetry: anything,
});

export const NEXT_REQUEST: Shape<NextRequest> = object<NextRequest>({
  session: text(ID),
  type: optional(oneOf(...TASK_TYPES)),
  pow: optional(POW_ANSWER),
});

const CELLS: Shape<{ cells: number[] }> = object({ cells: listOf(integer(0, 11), 12) });
const ANGLES = object({ angles: listOf(number(0, 360), 2, 2) }) as Shape<{ angles: [number, number] }>;
const TEXT: Shape<{ text: string }> = object({ text: anyText(64) });
const reply = (value: unknown): value is TaskReply => CELLS(value) || ANGLES(value) || TEXT(value);

export const ANSWER_REQUEST: Shape<AnswerRequest> = object<AnswerRequest>({
  session: text(ID),
  reply,
  trail: TRAIL,
});
