export const RATE = 8000;
const HEAD = 44;

/** PCM, 8 bits, mono. @param samples -1..1; values beyond, once in thousands of sounds, are clipped */
export function wav(samples: Float32Array): Uint8Array<ArrayBuffer> {
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
