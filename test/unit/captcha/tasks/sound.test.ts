import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { drawAnswer } from "../../../../plugins/captcha/service/tasks/answers.js";
import { render } from "../../../../plugins/captcha/service/tasks/render.js";
import { countBeeps, decodeWav, loudness } from "../../../support/beeps.js";

const seed = (n: number) => createHash("sha256").update(`sound ${n}`).digest().subarray(0, 16);

function sound(groups: number[], n: number, level: 0 | 1 | 2 = 0): Buffer {
  const [part] = render({ type: "audio", groups }, level, seed(n));
  return Buffer.from(part?.bytes ?? []);
}

describe("sound tasks", () => {
  it("[A41] an obvious decoder counts the tones of every group and is not led astray by knocks", () => {
    for (let n = 0; n < 150; n++) {
      const answer = drawAnswer("audio", 0);
      const groups = answer.type === "audio" ? answer.groups : [];
      expect(countBeeps(decodeWav(sound(groups, n, n % 3 === 2 ? 2 : n % 3 === 1 ? 1 : 0)))).toEqual(groups);
    }
  });

  it("[A41] the fewest and the most tones fit", () => {
    for (const groups of [
      [2, 2, 2, 2],
      [7, 7, 7, 7],
      [7, 2, 7, 2],
    ])
      expect(countBeeps(decodeWav(sound(groups, 7)))).toEqual(groups);
  });

  it("[A41] no sample is cut off and all are about as loud", () => {
    const levels: number[] = [];
    for (let n = 0; n < 60; n++) {
      const wav = sound([2 + (n % 6), 4, 4, 4], n, n % 2 ? 2 : 0);
      const samples = decodeWav(wav).samples;
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      expect(peak).toBeLessThan(0.8);
      expect(peak).toBeGreaterThan(0.45);
      expect(wav.subarray(44).some((byte) => byte === 0 || byte === 255)).toBe(false);
      levels.push(loudness(samples));
    }
    expect(Math.max(...levels)).toBeLessThan(-12);
    expect(Math.min(...levels)).toBeGreaterThan(-19);
  });

  it("[A38] as many bytes and seconds whatever the answer is", () => {
    const sizes = [
      [2, 2, 2, 2],
      [7, 7, 7, 7],
      [3, 5, 2, 7],
    ].map((groups, n) => sound(groups, n).length);
    expect(new Set(sizes)).toEqual(new Set([44 + 9.6 * 8000]));
    const heads = [
      [2, 2, 2, 2],
      [7, 7, 7, 7],
    ].map((groups, n) => sound(groups, n).toString("hex", 0, 44));
    expect(heads[0]).toBe(heads[1]);
  });

  it("[A39] the same seed sounds the same, another one different", () => {
    const groups = [3, 5, 2, 7];
    expect(sound(groups, 1)).toEqual(sound(groups, 1));
    expect(sound(groups, 1).equals(sound(groups, 2))).toBe(false);
  });
});
