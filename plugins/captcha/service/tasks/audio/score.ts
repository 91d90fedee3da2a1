import type { AnswerOf, Level } from "../media.js";
import type { Random } from "../random.js";

/** Harmonics from the first on, which add up to 1, and the speed of the fade. */
interface Voice {
  harmonics: readonly number[];
  /** Attack in seconds. */
  rise: number;
  /** Level at its end relative to its start. */
  end: number;
}

/** Pitch and loudness are about the same; timbre differs, as that of instruments. */
const VOICES: readonly [Voice, ...Voice[]] = [
  // A flute, a reed, a horn, a plucked string.
  { harmonics: [0.86, 0.14], rise: 0.016, end: 0.9 },
  { harmonics: [0.6, 0, 0.28, 0, 0.12], rise: 0.012, end: 0.85 },
  { harmonics: [0.52, 0.26, 0.14, 0.08], rise: 0.02, end: 0.9 },
  { harmonics: [0.62, 0.24, 0.14], rise: 0.008, end: 0.45 },
];

/** Constant seconds: neither size nor duration reveal the number of tones. */
export const LENGTH = 13.2;
/**
 * Seconds, hertz and factors; docs/captcha/tasks.md has the reasons. The rest between groups is three times
 * that between tones, and tones are long enough to have a pitch. No glide begins together with a tone, since
 * both would be heard as one.
 */
export const RULES = {
  /** Time from the last tone of a group to the first of the next. */
  pause: [0.85, 1.05],
  tone: [0.1, 0.14],
  /** Time between two tones of a group. */
  rest: [0.11, 0.29],
  pitch: [430, 1_000],
  /** Ratio of adjacent tones of a group: two to seven semitones, up or down. */
  leap: [1.12, 1.5],
  /** Softest tone relative to the loudest: 5 dB. */
  gain: [0.56, 1],
  /** `apart`: distance of its start from that of any tone; semitones go up or down. */
  glide: { semitones: [9, 15], seconds: [0.22, 0.32], gain: [0.5, 0.75], apart: 0.05 },
} as const;
/** Silence before the first tone. */
const LEAD = [0.35, 0.6] as const;
/** Seconds from tone to tone, slow enough to count along, and the maximum deviation of a tone. */
const TEMPO = [0.29, 0.35] as const;
const UNEVEN = 0.02;
/** Minimum and maximum in pauses, and across the tones of each group. */
const GLIDES = {
  pauses: [1, 2, 3],
  group: [
    [1, 1],
    [1, 2],
    [2, 2],
  ],
} as const;
const KNOCKS = [1, 2, 3] as const;
/** Attempts to place a glide across a group, which is then omitted. */
const TRIES = 30;

export interface Note {
  kind: "tone" | "glide" | "knock";
  at: number;
  seconds: number;
  pitch: readonly [number, number];
  /** Relative to the loudest tone. */
  gain: number;
  voice: Voice;
  group?: number;
}

/**
 * Sound of a task (A1, reference 4.3). Groups of steady tones are to be counted, each with a pitch, a voice
 * and a tempo of its own. Glides, also across tones, and knocks are not. No words, so no language.
 */
export function composed({ groups }: AnswerOf<"audio">, level: Level, random: Random): Note[] {
  const notes: Note[] = [];
  const pauses: (readonly [number, number])[] = [];
  let at = random.between(...LEAD);
  groups.forEach((count, group) => {
    const tones = groupOf(count, { at, group }, random);
    notes.push(...tones);
    const end = Math.max(...tones.map((tone) => tone.at + tone.seconds));
    const [fewest, most] = GLIDES.group[level];
    const glides = fewest + random.integer(most - fewest + 1);
    for (let i = 0; i < glides; i++) notes.push(...glideAcross(tones, notes, random));
    at = end + random.between(...RULES.pause);
    pauses.push([end, at]);
  });
  for (const [from, to] of random.shuffled(pauses.slice(0, -1)).slice(0, GLIDES.pauses[level]))
    notes.push(glideAt(random.between(from + 0.2, to - 0.5), random));
  for (const [from, to] of random.shuffled(pauses).slice(0, KNOCKS[level]))
    notes.push(knockAt(random.between(from + 0.12, to - 0.3), random));
  return notes;
}

function groupOf(count: number, { at, group }: { at: number; group: number }, random: Random): Note[] {
  const tempo = random.between(...TEMPO);
  const voice = random.pick(VOICES);
  let pitch = random.between(...RULES.pitch);
  return Array.from({ length: count }, (_, i) => {
    if (i > 0) pitch = nextPitch(pitch, random);
    return {
      kind: "tone" as const,
      at: at + i * tempo + (i === 0 ? 0 : random.between(-UNEVEN, UNEVEN)),
      seconds: random.between(...RULES.tone),
      pitch: [pitch, pitch] as const,
      gain: random.between(...RULES.gain),
      voice,
      group,
    };
  });
}

function nextPitch(before: number, random: Random): number {
  const leap = random.between(...RULES.leap);
  const [up, down] = [before * leap, before / leap];
  if (up > RULES.pitch[1]) return down;
  return down < RULES.pitch[0] || random.sign() > 0 ? up : down;
}

/** Starts apart from tones and other glides; omitted if there is no room. */
function glideAcross(tones: readonly Note[], notes: readonly Note[], random: Random): Note[] {
  const [first, last] = [tones[0]?.at ?? 0, tones.at(-1)?.at ?? 0];
  const others = notes.filter(({ kind }) => kind === "glide");
  for (let i = 0; i < TRIES; i++) {
    const glide = glideAt(random.between(first, last), random);
    const end = glide.at + glide.seconds;
    const isAlone = tones.every((tone) => Math.abs(tone.at - glide.at) >= RULES.glide.apart);
    if (isAlone && others.every((other) => end < other.at || other.at + other.seconds < glide.at))
      return [glide];
  }
  return [];
}

function glideAt(at: number, random: Random): Note {
  const ratio = 2 ** (random.between(...RULES.glide.semitones) / 12);
  const low = random.between(RULES.pitch[0], 560);
  const ends = [low, low * ratio] as const;
  return {
    kind: "glide",
    at,
    seconds: random.between(...RULES.glide.seconds),
    pitch: random.sign() > 0 ? ends : [ends[1], ends[0]],
    gain: random.between(...RULES.glide.gain),
    voice: random.pick(VOICES),
  };
}

const knockAt = (at: number, random: Random): Note => ({
  kind: "knock",
  at,
  seconds: 0.1,
  pitch: [180, 70],
  gain: random.between(0.8, 1),
  voice: random.pick(VOICES),
});
