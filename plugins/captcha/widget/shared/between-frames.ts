import { boolean, optional, text } from "../../service/score/shape.js";
import type { FromTask, InitMessage, ToBox, ToTask } from "./messages.js";
import { CLOSE, FAULT, fields, RESIZE, read, type Shape, type Shapes, TOKEN } from "./read.js";

const FROM_TASK: Shapes = { ready: {}, resize: RESIZE, close: CLOSE, token: TOKEN, error: FAULT };
const TO_TASK: Shapes = { dismiss: CLOSE };
const TO_BOX: Shapes = {
  ...TO_TASK,
  execute: {},
  reset: { expired: boolean },
  destroy: {},
  "dialog-ready": {},
};

export const readFromTask = (data: unknown): FromTask | undefined => read<FromTask>(FROM_TASK, data);
export const readToBox = (data: unknown): ToBox | undefined => read<ToBox>(TO_BOX, data);
export const readToTask = (data: unknown): ToTask | undefined => read<ToTask>(TO_TASK, data);

const CONFIGURATION: Shape = {
  action: optional(text(/^[\w-]{1,32}$/)),
  size: optional(text(/^(?:normal|compact|invisible)$/)),
};
const INIT: Shape = {
  spc: (value) => value === 1,
  type: text(/^init$/),
  id: text(/^[\w-]{1,64}$/),
  cfg: (value) => typeof value === "object" && value !== null && fields(CONFIGURATION, value) !== undefined,
};

export const readInit = (data: unknown): InitMessage | undefined =>
  fields(INIT, data) as InitMessage | undefined;
