/**
 * Serious programs that count the tones of a sound task, as somebody writes them in an afternoon after
 * reading how sounds are made. Their results are the upper bound of the claims in docs/captcha/tasks.md.
 */
import type { Sound } from "../support/wav-file.js";

interface Stretch {
  /** Duration in seconds. */
  from: number;
  to: number;
  /** Pitch in Hertz, from its zero crossings. */
  pitch: number;
}

/** Loud parts of a sound. */
function stretches({ rate, samples }: Sound): Stretch[] {
  const step = Math.round(rate * 0.005);
  const loud: boolean[] = [];
  for (let at = 0; at + step <= samples.length; at += step)
    loud.push(samples.subarray(at, at + step).some((sample) => Math.abs(sample) > 0.22));
  const found: Stretch[] = [];
  for (let i = 0; i < loud.length; i++) {
    if (!loud[i]) continue;
    const from = i;
    while (loud[i] || loud[i + 1]) i++;
    const part = samples.subarray(from * step, i * step);
    let crossings = 0;
    for (let j = 1; j < part.length; j++) if ((part[j - 1] ?? 0) < 0 !== (part[j] ?? 0) < 0) crossings++;
    found.push({
      from: (from * step) / rate,
      to: (i * step) / rate,
      pitch: (crossings / 2 / part.length) * rate,
    });
  }
  return found;
}

/** Groups tones by the pauses between them. */
function grouped(tones: readonly Pick<Stretch, "from" | "to">[]): number[] {
  const groups: number[] = [];
  tones.forEach(({ from }, i) => {
    const before = tones[i - 1];
    if (before === undefined || from - before.to > 0.5) groups.push(0);
    groups.push((groups.pop() ?? 0) + 1);
  });
  return groups;
}

/**
 * Twenty lines that solved every sound before glides, voices and echoes: long and high enough means a tone.
 */
export const countBeeps = (sound: Sound): number[] =>
  grouped(stretches(sound).filter(({ from, to, pitch }) => to - from > 0.06 && pitch > 350));

const HOP = 0.008;
const WINDOW = 0.05;
/** Half semitones from 380 Hz on. */
const PITCHES = Array.from({ length: 40 }, (_, i) => 380 * 2 ** (i / 24));
/**
 * Best of 48 settings on 40 sounds of each level: lowest level beside the loudest, and shortest duration in
 * s.
 */
const LOUD = 0.15;
const STEADY = 0.064;

/** Levels of one frequency in all windows (Goertzel). */
function levelsOf({ rate, samples }: Sound, pitch: number): number[] {
  const [hop, length] = [Math.round(HOP * rate), Math.round(WINDOW * rate)];
  const hann = Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length));
  const factor = 2 * Math.cos((2 * Math.PI * pitch) / rate);
  return Array.from({ length: Math.floor((samples.length - length) / hop) }, (_, frame) => {
    let [one, two] = [0, 0];
    for (let i = 0; i < length; i++)
      [one, two] = [(samples[frame * hop + i] ?? 0) * (hann[i] ?? 0) + factor * one - two, one];
    return Math.sqrt(Math.max(0, one * one + two * two - factor * one * two)) / length;
  });
}

/** Follows the strongest pitch by the known rule: a steady pitch is a tone, a moving one a glide. */
export function countSteady(sound: Sound): number[] {
  const levels = PITCHES.map((pitch) => levelsOf(sound, pitch));
  const least = LOUD * Math.max(...levels.map((row) => Math.max(...row)));
  const strongest = (levels[0] ?? []).map((_, frame) => {
    let [best, most] = [-1, least];
    for (const [index, row] of levels.entries())
      if ((row[frame] ?? 0) > most) [best, most] = [index, row[frame] ?? 0];
    return best;
  });
  const tones: { from: number; to: number }[] = [];
  for (let i = 0; i < strongest.length; ) {
    const from = i;
    let [low, high] = [strongest[i] ?? -1, strongest[i] ?? -1];
    for (i++; i < strongest.length; i++) {
      [low, high] = [Math.min(low, strongest[i] ?? -1), Math.max(high, strongest[i] ?? -1)];
      if (low < 0 || high - low > 1) break;
    }
    if ((strongest[from] ?? -1) >= 0 && (i - from) * HOP >= STEADY)
      tones.push({ from: from * HOP, to: i * HOP });
  }
  return grouped(tones);
}
