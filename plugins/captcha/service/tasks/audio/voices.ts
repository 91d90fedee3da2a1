/** Harmonics from the first on, which add up to 1, and the speed of the fade. */
export interface Voice {
  harmonics: readonly number[];
  /** Attack in seconds. */
  rise: number;
  /** Level at its end relative to its start. */
  end: number;
}

/** Pitch and loudness are about the same; timbre differs, as that of instruments. */
export const VOICES: readonly [Voice, ...Voice[]] = [
  // A flute, a reed, a horn, a plucked string.
  { harmonics: [0.86, 0.14], rise: 0.016, end: 0.9 },
  { harmonics: [0.6, 0, 0.28, 0, 0.12], rise: 0.012, end: 0.85 },
  { harmonics: [0.52, 0.26, 0.14, 0.08], rise: 0.02, end: 0.9 },
  { harmonics: [0.62, 0.24, 0.14], rise: 0.008, end: 0.45 },
];
