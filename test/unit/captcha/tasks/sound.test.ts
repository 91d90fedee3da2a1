import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { composed, type Note, RULES } from "../../../../plugins/captcha/service/tasks/audio/score.js";
import { Random } from "../../../../plugins/captcha/service/tasks/random.js";
import { render } from "../../../../plugins/captcha/service/tasks/render.js";
import { decodeWav, loudness, type Sound } from "../../../support/wav-file.js";

const LEVELS = [0, 1, 2] as const;
type Level = (typeof LEVELS)[number];
const seed = (n: number) => createHash("sha256").update(`sound ${n}`).digest().subarray(0, 16);
const answer = (groups: number[]) => ({ type: "audio" as const, groups });

function sound(groups: number[], n: number, level: Level = 0): Buffer {
  const [part] = render(answer(groups), level, seed(n));
  return Buffer.from(part?.bytes ?? []);
}

/** Groups, notes and sound of a task whose answer follows from its number. */
function made(n: number, level: Level): { groups: number[]; notes: Note[]; sound: Sound } {
  const groups = [...seed(n)].slice(0, 4).map((byte) => 2 + (byte % 6));
  const notes = composed(answer(groups), level, new Random(seed(n)));
  return { groups, notes, sound: decodeWav(sound(groups, n, level)) };
}
const tonesOf = (notes: readonly Note[]) => notes.filter(({ kind }) => kind === "tone");
const every = LEVELS.flatMap((level) => Array.from({ length: 60 }, (_, n) => made(n, level)));

/** Decibels of one frequency in a part of a sound. */
function levelAt({ rate, samples }: Sound, from: number, seconds: number, pitch: number): number {
  const [first, length] = [Math.round(from * rate), Math.round(seconds * rate)];
  const factor = 2 * Math.cos((2 * Math.PI * pitch) / rate);
  let [one, two] = [0, 0];
  for (let i = 0; i < length; i++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length);
    [one, two] = [(samples[first + i] ?? 0) * window + factor * one - two, one];
  }
  const power = Math.max(1e-12, one * one + two * two - factor * one * two);
  return 10 * Math.log10(power) - 20 * Math.log10(length);
}
/** Value below which the given share of values lies. */
const quantile = (values: number[], share: number): number =>
  values.sort((a, b) => a - b)[Math.floor(share * values.length)] ?? 0;

describe("audibility of sound tasks", () => {
  it("[H44] groups of tones are 0.85 s or more apart, at least 2.9 times the rest between tones", () => {
    for (const { groups, notes } of every) {
      const tones = tonesOf(notes);
      expect(groups.map((_, group) => tones.filter((tone) => tone.group === group).length)).toEqual(groups);
      for (const [i, { at, seconds, group }] of tones.entries()) {
        const next = tones[i + 1];
        const rest = next === undefined ? undefined : next.at - at - seconds;
        if (rest === undefined) continue;
        const [least, most] = next?.group === group ? RULES.rest : RULES.pause;
        expect(rest).toBeGreaterThanOrEqual(least - 1e-9);
        expect(rest).toBeLessThanOrEqual(most + 1e-9);
      }
    }
    expect(RULES.pause[0]).toBeGreaterThan(2.9 * RULES.rest[1]);
  });

  it("[H44] tones last a tenth of a second or more at one pitch, and each next one has another", () => {
    for (const { notes } of every) {
      const tones = tonesOf(notes);
      for (const [i, { seconds, pitch, gain, group }] of tones.entries()) {
        expect(pitch[0]).toBe(pitch[1]);
        expect(seconds).toBeGreaterThanOrEqual(RULES.tone[0]);
        expect(gain).toBeGreaterThanOrEqual(RULES.gain[0]);
        const next = tones[i + 1];
        if (next?.group !== group || next === undefined) continue;
        const leap = Math.max(next.pitch[0] / pitch[0], pitch[0] / next.pitch[0]);
        expect(leap).toBeGreaterThanOrEqual(RULES.leap[0]);
        expect(leap).toBeLessThanOrEqual(RULES.leap[1]);
      }
    }
  });

  it("[H44] glides span nine semitones or more, are softer and never begin with a tone or another glide", () => {
    let across = 0;
    for (const { notes } of every) {
      const glides = notes.filter(({ kind }) => kind === "glide").sort((a, b) => a.at - b.at);
      for (const [i, { at, seconds, pitch, gain }] of glides.entries()) {
        const semitones = 12 * Math.abs(Math.log2(pitch[1] / pitch[0]));
        expect(semitones).toBeGreaterThanOrEqual(RULES.glide.semitones[0] - 1e-9);
        expect(gain).toBeLessThanOrEqual(RULES.glide.gain[1]);
        for (const tone of tonesOf(notes)) {
          expect(Math.abs(tone.at - at)).toBeGreaterThanOrEqual(RULES.glide.apart);
          if (tone.at < at + seconds && at < tone.at + tone.seconds) across++;
        }
        expect((glides[i + 1]?.at ?? 99) - at).toBeGreaterThan(seconds);
      }
    }
    // They do overlap: a glide beside all tones would be dropped with the pauses.
    expect(across).toBeGreaterThan(2 * every.length);
  });

  it.each([
    [0, 18],
    [1, 16],
    [2, 14],
  ] as const)(
    "[H44] at level %i tones are at least %i dB above the noise at their own pitch",
    (level, least) => {
      const found = Array.from({ length: 60 }, (_, n) => made(n, level)).flatMap(({ notes, sound }) =>
        tonesOf(notes).map(({ at, seconds, pitch: [pitch] }) => {
          // Only noise precedes the first tone; the loudest of three windows counts.
          const noise = Math.max(...[0, 0.1, 0.2].map((from) => levelAt(sound, from, 0.1, pitch)));
          return levelAt(sound, at + 0.005, seconds - 0.01, pitch) - noise;
        }),
      );
      // One in a hundred may be half masked by a glide that passes its pitch just then.
      expect(quantile(found, 0.01)).toBeGreaterThan(least);
    },
  );

  it("[H44] nineteen of twenty tones rise at least 10 dB above the sound before at their pitch", () => {
    const rises = every.flatMap(({ notes, sound }) =>
      tonesOf(notes).map(
        ({ at, seconds, pitch: [pitch] }) =>
          levelAt(sound, at + 0.005, seconds - 0.01, pitch) - levelAt(sound, at - 0.075, 0.07, pitch),
      ),
    );
    expect(quantile(rises, 0.05)).toBeGreaterThan(10);
    expect(quantile(rises, 0.01)).toBeGreaterThan(3);
  });
});

describe("sound tasks", () => {
  it("[A41] no sample is clipped and all sounds are about as loud", () => {
    const levels = every.map(({ sound: { samples } }) => {
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
      expect(peak).toBeLessThan(0.98);
      expect(peak).toBeGreaterThan(0.4);
      return loudness(samples);
    });
    expect(Math.max(...levels)).toBeLessThan(-16);
    expect(Math.min(...levels)).toBeGreaterThan(-25);
  });

  it("[A41] the fewest and the most tones fit, with a rest after the last one", () => {
    for (const level of LEVELS)
      for (let n = 0; n < 40; n++) {
        const notes = composed(answer([7, 7, 7, 7]), level, new Random(seed(n)));
        const end = Math.max(...notes.map(({ at, seconds }) => at + seconds));
        expect(end).toBeLessThan(13.1);
        const first = tonesOf(composed(answer([2, 2, 2, 2]), level, new Random(seed(n))))[0];
        expect(first?.at).toBeGreaterThan(0.34);
      }
  });

  it("[A38] the bytes and the header of a sound do not depend on the answer", () => {
    const sizes = [
      [2, 2, 2, 2],
      [7, 7, 7, 7],
      [3, 5, 2, 7],
    ].map((groups, n) => sound(groups, n).length);
    expect(new Set(sizes)).toEqual(new Set([44 + 13.2 * 8000]));
    const heads = [
      [2, 2, 2, 2],
      [7, 7, 7, 7],
    ].map((groups, n) => sound(groups, n).toString("hex", 0, 44));
    expect(heads[0]).toBe(heads[1]);
  });

  it("[A39] the same seed makes the same sound, another one a different sound", () => {
    const groups = [3, 5, 2, 7];
    expect(sound(groups, 1)).toEqual(sound(groups, 1));
    expect(sound(groups, 1).equals(sound(groups, 2))).toBe(false);
  });
});
