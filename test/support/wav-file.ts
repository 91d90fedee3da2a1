export interface Sound {
  rate: number;
  /** Samples from -1 to 1. */
  samples: Float32Array;
}

/**
 * Decodes a mono WAV of 8 bits with the plain header of 44 bytes.
 * @throws Error for any other
 */
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

/** Root mean square in decibels relative to full scale. */
export function loudness(samples: Float32Array): number {
  const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(mean);
}
