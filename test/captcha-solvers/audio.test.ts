import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { render } from "../../plugins/captcha/service/tasks/render.js";
import { decodeWav, type Sound } from "../support/wav-file.js";
import { countBeeps, countSteady } from "./audio.js";

const TASKS = 100;

/** Per cent of tasks that a program solves; the tasks are the same in each run. */
function solved(level: 0 | 1 | 2, count: (sound: Sound) => number[]): number {
  let right = 0;
  for (let n = 0; n < TASKS; n++) {
    const seed = createHash("sha256").update(`solver ${level} ${n}`).digest();
    const groups = [...seed].slice(16, 20).map((byte) => 2 + (byte % 6));
    const [part] = render({ type: "audio", groups }, level, seed.subarray(0, 16));
    if (String(count(decodeWav(Buffer.from(part?.bytes ?? [])))) === String(groups)) right++;
  }
  return (100 * right) / TASKS;
}

describe("programs that count the tones of a sound", () => {
  it.each([0, 1, 2] as const)(
    "[H44] what is loud for long enough: five of a hundred at most, at level %i",
    (level) => {
      expect(solved(level, countBeeps)).toBeLessThanOrEqual(5);
    },
  );

  it.each([
    [0, 45],
    [1, 30],
    [2, 30],
  ] as const)(
    "[H44] what keeps its pitch: at level %i at most %i of a hundred",
    { timeout: 120_000 },
    (level, most) => {
      const share = solved(level, countSteady);
      expect(share).toBeLessThanOrEqual(most);
      // It is no straw man: it hears more than blind guesses would, one in 1,296.
      expect(share).toBeGreaterThan(2);
    },
  );
});
