import { optional, text } from "../../service/score/shape.js";
import type { FromBox } from "./messages.js";
import { CLOSE, FAULT, RESIZE, read, type Shapes, TOKEN } from "./read.js";

const FROM_BOX: Shapes = {
  ready: { language: text(/^(?:ru|en)$/), theme: optional(text(/^(?:auto|light|dark)$/)) },
  open: { ...RESIZE, ref: optional(text(/^[\w-]{1,128}$/)) },
  resize: RESIZE,
  close: CLOSE,
  token: TOKEN,
  error: FAULT,
  failed: FAULT,
};

export const readFromBox = (data: unknown): FromBox | undefined => read<FromBox>(FROM_BOX, data);
