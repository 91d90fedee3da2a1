import { randomBytes, randomInt } from "node:crypto";
import type { TaskType } from "../../captcha-table.js";
import type { TaskAnswer } from "../contract.js";
import { renderSound } from "./audio/sound.js";
import type { Level, Medium, RenderedTask } from "./media.js";
import { Random, type Seed } from "./random.js";
import { renderRings } from "./rings/rings.js";
import { renderShapes } from "./shapes/shapes.js";
import { renderText } from "./text/text.js";

/**
 * Consonants, so that they form no words. Letters that resemble one of another script (B, C, H, K, M, P, T, X
 * are Cyrillic too) or each other are left out.
 */
export const LETTERS = "DFGJLNQRSVWZ";

const CELLS = 12;
const PICKS = [3, 5, 5] as const;
const RINGS = [4, 5, 5] as const;
const TEXT_LENGTH = [5, 5, 6] as const;
const GROUPS = 4;
/** Minimum number of tones in a group. */
const FEWEST = 2;
const MOST = 7;
/** Degrees, so that no ring is already right or nearly so. */
export const MIN_TURN = 25;
const MAX_TURN = 335;

/** Uniformly distributed, from the CSPRNG (reference 4.4). */
export function drawAnswer(type: TaskType, level: Level): TaskAnswer {
  switch (type) {
    case "shapes": {
      const left = Array.from({ length: CELLS }, (_, cell) => cell);
      const cells = Array.from(
        { length: PICKS[level] },
        () => left.splice(randomInt(left.length), 1)[0] ?? 0,
      );
      return { type, cells };
    }
    case "rings": {
      const turn = () => randomInt(MIN_TURN, MAX_TURN + 1);
      return { type, angles: Array.from({ length: RINGS[level] }, turn) };
    }
    case "text": {
      const letter = () => LETTERS.charAt(randomInt(LETTERS.length));
      return { type, text: Array.from({ length: TEXT_LENGTH[level] }, letter).join("") };
    }
    case "audio":
      return { type, groups: Array.from({ length: GROUPS }, () => randomInt(FEWEST, MOST + 1)) };
  }
}

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
