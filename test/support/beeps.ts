export interface Sound {
  rate: number;
  /** -1..1 */
  samples: Float32Array;
}

/** A WAV of 8 bits mono with the plain header of 44 bytes. @throws Error for any other */
export function decodeWav(wav: Buffer): Sound {
  const text = (at: number, length = 4) => wav.toString("latin1", at, at + length);
  const isPlain =
    text(0) === "RIFF" &&
    wav.readUInt32LE(4) === wav.length - 8 &&
    text(8, 8) === "WAVEfmt " &&
    text(36) === "data";
  const format = [wav.readUInt32LE(16), wav.readUInt16LE(20), wav.readUInt16LE(22), wav.readUInt16LE(32)];
  if (!isPlain || String(format) !== "16,1,1,1" || wav.readUInt16LE(34) !== 8)
    throw new Error("another format");
  const rate = wav.readUInt32LE(24);
  if (wav.readUInt32LE(28) !== rate || wav.readUInt32LE(40) !== wav.length - 44)
    throw new Error("wrong sizes");
  return { rate, samples: Float32Array.from(wav.subarray(44), (byte) => (byte - 128) / 128) };
}

/** Root of the mean square, in decibels of full scale. */
export function loudness(samples: Float32Array): number {
  const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(mean);
}

interface Stretch {
  /** Seconds. */
  from: number;
  to: number;
  /** Hertz, from its zero crossings. */
  pitch: number;
}

/** Stretches that are loud. */
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

/** Counts tones in groups: what lasts long enough and is high enough is a tone, what is not is ignored. */
export function countBeeps(sound: Sound): number[] {
  const tones = stretches(sound).filter(({ from, to, pitch }) => to - from > 0.06 && pitch > 350);
  const groups: number[] = [];
  tones.forEach(({ from }, i) => {
    const before = tones[i - 1];
    if (before === undefined || from - before.to > 0.5) groups.push(0);
    groups.push((groups.pop() ?? 0) + 1);
  });
  return groups;
}
