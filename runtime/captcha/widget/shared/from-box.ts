import type { FromBox } from "./messages.js";
import { CLOSE, flag, optional, RESIZE, read, type Shapes, TOKEN, text, word } from "./read.js";

const FROM_BOX: Shapes = {
  ready: { language: text(/^(?:ru|en)$/) },
  open: { ...RESIZE, ref: optional(text(/^[\w-]{1,128}$/)) },
  resize: RESIZE,
  close: CLOSE,
  token: TOKEN,
  error: { code: word, message: text(/^.{0,500}$/s), retryable: flag },
};

export const readFromBox = (data: unknown): FromBox | undefined => read<FromBox>(FROM_BOX, data);
