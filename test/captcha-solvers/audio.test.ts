import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { render } from "../../plugins/captcha/service/tasks/render.js";
import { decodeWav, type Sound } from "../support/wav-file.js";
import { countBeeps, countSteady } from "./audio.js";

const TASKS = 100;

/** Percentage of solved tasks; the tasks are the same in each run. */
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
    "[H44] a counter of loud beeps solves at most five of a hundred sounds at level %i",
    (level) => {
      expect(solved(level, countBeeps)).toBeLessThanOrEqual(5);
    },
  );

  it.each([
    [0, 45],
    [1, 30],
    [2, 30],
  ] as const)(
    "[H44] a counter of steady pitches at level %i solves between 2 and %i of a hundred sounds",
    { timeout: 120_000 },
    (level, most) => {
      const share = solved(level, countSteady);
      expect(share).toBeLessThanOrEqual(most);
      // No straw man: it solves more than blind guesses would, one in 1,296.
      expect(share).toBeGreaterThan(2);
    },
  );
});
