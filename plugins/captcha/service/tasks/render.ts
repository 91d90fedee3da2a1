import { randomBytes } from "node:crypto";
import type { TaskType } from "../../captcha-table.js";
import type { TaskAnswer } from "../contract.js";
import { drawAnswer } from "./answers.js";
import { renderSound } from "./audio/sound.js";
import type { Level, Medium, RenderedTask } from "./media.js";
import { Random, type Seed } from "./random.js";
import { renderRings } from "./rings/rings.js";
import { renderShapes } from "./shapes/shapes.js";
import { renderText } from "./text/text.js";

/** The same seed, answer and level give the same bytes. */
export function render(answer: TaskAnswer, level: Level, seed: Seed): Medium[] {
  const random = new Random(seed);
  switch (answer.type) {
    case "shapes":
      return renderShapes(answer, level, random);
    case "rings":
      return renderRings(answer, level, random);
    case "text":
      return renderText(answer, level, random);
    case "audio":
      return renderSound(answer, level, random);
  }
}

/** Random answer and 128 secret bits for the pixels. */
export function newTask(type: TaskType, level: Level): RenderedTask {
  const answer = drawAnswer(type, level);
  return { type, answer, media: render(answer, level, randomBytes(16)) };
}
