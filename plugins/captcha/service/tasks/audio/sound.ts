import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { composed, LENGTH, type Note } from "./score.js";

const RATE = 8000;
const HEAD = 44;

/** PCM, 8 bits, mono. @param samples -1..1; values beyond, once in thousands of sounds, are clipped */
function wav(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(HEAD + samples.length);
  const view = new DataView(out.buffer);
  const name = (at: number, text: string) => {
    for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  };
  name(0, "RIFF");
  view.setUint32(4, out.length - 8, true);
  name(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE, true);
  view.setUint32(28, RATE, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  name(36, "data");
  view.setUint32(40, samples.length, true);
  // 8-bit samples are unsigned: 128 is silence.
  for (let i = 0; i < samples.length; i++)
    out[HEAD + i] = 128 + Math.round(Math.max(-1, Math.min(1, samples[i] as number)) * 127);
  return out;
}

/** Loudest tone: with a glide across it, echoes and noise the sum is below 1 (450 sounds: at most 0.91). */
const TONE_PEAK = 0.42;
/** By level 11, 10 and 8 dB below a tone of middle loudness, at least 18 dB below it at its own pitch. */
const NOISE = [0.042, 0.052, 0.066] as const;
/** Softer and slightly delayed copies, which fill the gaps between tones halfway. */
const ECHOES = [
  { seconds: 0.043, gain: 0.42 },
  { seconds: 0.083, gain: 0.24 },
] as const;
/** Fade-out in seconds; without it there would be a click. */
const FALL = 0.014;

export function renderSound(answer: AnswerOf<"audio">, level: Level, random: Random): Medium[] {
  const dry = new Float32Array(Math.round(LENGTH * RATE));
  for (const note of composed(answer, level, random))
    if (note.kind === "knock") addKnock(dry, note, random);
    else addNote(dry, note);
  const samples = inRoom(dry);
  addNoise(samples, NOISE[level], random);
  return [{ name: "sound", kind: "wav", bytes: wav(samples) }];
}

/** A tone keeps its pitch, a glide changes by equal ratios in equal times. */
function addNote(samples: Float32Array, { at, seconds, pitch: [from, to], gain, voice }: Note): void {
  const [first, count] = [Math.round(at * RATE), Math.round(seconds * RATE)];
  const harmonics = voice.harmonics.filter((_, i) => (i + 1) * Math.max(from, to) < RATE / 2);
  let phase = 0;
  for (let i = 0; i < count && first + i < samples.length; i++) {
    const part = i / count;
    phase += (2 * Math.PI * from * (to / from) ** (part ** 1.5)) / RATE;
    const envelope = Math.min(1, i / (voice.rise * RATE), (count - i) / (FALL * RATE)) * voice.end ** part;
    const wave = harmonics.reduce((sum, share, h) => sum + share * Math.sin((h + 1) * phase), 0);
    samples[first + i] = (samples[first + i] as number) + TONE_PEAK * gain * envelope * wave;
  }
}

/** Dull thud: a falling low tone with a rattle, gone after a tenth of a second. */
function addKnock(
  samples: Float32Array,
  { at, seconds, gain, pitch: [from, to] }: Note,
  random: Random,
): void {
  const [first, count] = [Math.round(at * RATE), Math.round(seconds * RATE)];
  let phase = 0;
  for (let i = 0; i < count && first + i < samples.length; i++) {
    const decay = Math.exp(-i / (0.018 * RATE));
    phase += (2 * Math.PI * (to + (from - to) * decay)) / RATE;
    const wave = 0.7 * Math.sin(phase) + 0.3 * random.between(-1, 1) * decay;
    samples[first + i] = (samples[first + i] as number) + TONE_PEAK * gain * decay * wave;
  }
}

function inRoom(dry: Float32Array): Float32Array {
  const samples = Float32Array.from(dry);
  for (const { seconds, gain } of ECHOES) {
    const later = Math.round(seconds * RATE);
    for (let i = later; i < dry.length; i++)
      samples[i] = (samples[i] as number) + gain * (dry[i - later] as number);
  }
  return samples;
}

/** Steady noise below about 900 Hz, where the tones are, with a share of hiss. */
function addNoise(samples: Float32Array, rms: number, random: Random): void {
  let low = 0;
  for (let i = 0; i < samples.length; i++) {
    const white = random.between(-1, 1);
    // One pole; the factor makes the sum's root mean square 1.
    low += (white - low) * 0.5;
    samples[i] = (samples[i] as number) + rms * (1.9 * low + 0.9 * white) * 0.86;
  }
}
