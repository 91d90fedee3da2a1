import type { TaskType } from "../../captcha-table.js";
import type { TaskAnswer } from "../contract.js";

/** The bytes are transferred from the worker, not copied. */
export interface Medium {
  name: string;
  kind: "png" | "wav";
  /** Pixels of the layout; a picture has twice as many each way. */
  width?: number;
  height?: number;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface RenderedTask {
  type: TaskType;
  media: Medium[];
  answer: TaskAnswer;
}

export type Level = 0 | 1 | 2;
export const levelOf = (level: number): Level => (level >= 2 ? 2 : level >= 1 ? 1 : 0);

export type AnswerOf<T extends TaskType> = Extract<TaskAnswer, { type: T }>;
