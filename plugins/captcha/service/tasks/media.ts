import type { TaskType } from "../../captcha-table.js";
import type { TaskAnswer } from "../contract.js";

/** A picture or sound from the worker; its bytes are transferred, not copied. */
export interface Medium {
  name: string;
  kind: "png" | "wav";
  /** In pixels of the layout; a picture has twice as many each way. */
  width?: number;
  height?: number;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Message from the worker with a task. */
export interface RenderedTask {
  type: TaskType;
  media: Medium[];
  answer: TaskAnswer;
}

/** Difficulty. */
export type Level = 0 | 1 | 2;
export const levelOf = (level: number): Level => (level >= 2 ? 2 : level >= 1 ? 1 : 0);

export type AnswerOf<T extends TaskType> = Extract<TaskAnswer, { type: T }>;
