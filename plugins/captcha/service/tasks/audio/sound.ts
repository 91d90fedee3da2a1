import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { RATE, wav } from "./wav.js";

/** Always as long, in seconds: neither bytes nor duration tell how many tones there are. */
const LENGTH = 9.6;
/** Between the last tone of a group and the first of the next. */
const PAUSE = 0.9;
/** From one tone of a group to the next, slow enough to count along. */
const STEP = [0.205, 0.232] as const;
const TONE = [0.09, 0.115] as const;
const PITCH = [420, 1150] as const;
/** Before the first tone. */
const LEAD = [0.3, 0.6] as const;
/** Pauses that have a knock in them. */
const KNOCKS = [2, 3, 3] as const;
/** Peaks; their sum stays below 1, so nothing is ever cut. */
const LOUDNESS = { tone: 0.56, knock: 0.5, noise: [0.03, 0.045, 0.06] } as const;

/** Groups of tones to be counted (A1, reference 4.3), with knocks to be ignored. No words, so no language. */
export function renderSound({ groups }: AnswerOf<"audio">, level: Level, random: Random): Medium[] {
  const samples = hum(LOUDNESS.noise[level], random);
  const pauses: number[] = [];
  let at = random.between(...LEAD);
  for (const count of groups) {
    const pitch = random.between(...PITCH);
    let end = at;
    for (let i = 0; i < count; i++) {
      const seconds = random.between(...TONE);
      addTone(samples, at, seconds, pitch);
      end = at + seconds;
      at += random.between(...STEP);
    }
    pauses.push(end);
    at = end + PAUSE;
  }
  for (const end of random.shuffled(pauses).slice(0, KNOCKS[level]))
    addKnock(samples, end + random.between(0.32, 0.55), random);
  return [{ name: "sound", kind: "wav", bytes: wav(samples) }];
}

/** Low noise all along. */
function hum(peak: number, random: Random): Float32Array {
  const samples = new Float32Array(Math.round(LENGTH * RATE));
  let low = 0;
  for (let i = 0; i < samples.length; i++) {
    // One pole at about 500 Hz.
    low += (random.between(-1, 1) - low) * 0.33;
    samples[i] = low * peak;
  }
  return samples;
}

function addTone(samples: Float32Array, start: number, seconds: number, pitch: number): void {
  const [first, count] = [Math.round(start * RATE), Math.round(seconds * RATE)];
  const ramp = 0.012 * RATE;
  for (let i = 0; i < count; i++) {
    const envelope = Math.min(1, i / ramp, (count - i) / ramp);
    const phase = (2 * Math.PI * pitch * i) / RATE;
    const wave = 0.84 * Math.sin(phase) + 0.16 * Math.sin(2 * phase);
    samples[first + i] = (samples[first + i] as number) + LOUDNESS.tone * envelope * wave;
  }
}

/** A dull thud: a falling low tone with a rattle, gone after a tenth of a second. */
function addKnock(samples: Float32Array, start: number, random: Random): void {
  const [first, count] = [Math.round(start * RATE), Math.round(0.1 * RATE)];
  let phase = 0;
  for (let i = 0; i < count && first + i < samples.length; i++) {
    const decay = Math.exp(-i / (0.018 * RATE));
    phase += (2 * Math.PI * (70 + 110 * decay)) / RATE;
    const wave = 0.7 * Math.sin(phase) + 0.3 * random.between(-1, 1) * decay;
    samples[first + i] = (samples[first + i] as number) + LOUDNESS.knock * decay * wave;
  }
}
