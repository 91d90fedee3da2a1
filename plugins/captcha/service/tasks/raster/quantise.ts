import type { Random } from "../random.js";
import type { Canvas } from "./canvas.js";
import { LEVELS } from "./palette.js";

/** Device pixels per pixel of the layout: pictures are sharp on dense screens. */
export const SCALE = 2;

/** 4x4 pattern, in sixteenths. */
const ORDERED = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/**
 * Levels 0..31, with ordered noise of one level and random grain. Grain is as coarse as a pixel of the
 * layout: it looks the same, and takes a quarter of the bytes.
 * @param grain amplitude in levels
 */
export function quantised({ width, height, tones }: Canvas, random: Random, grain: number): Uint8Array {
  const levels = new Uint8Array(width * height);
  const columns = Math.ceil(width / SCALE);
  const noise = new Float32Array(columns);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / SCALE);
    if (y % SCALE === 0)
      for (let i = 0; i < columns; i++) {
        const ordered = (ORDERED[(row & 3) * 4 + (i & 3)] as number) / 16;
        noise[i] = ordered + (random.float() + random.float() - 1) * grain;
      }
    const begin = y * width;
    for (let x = 0; x < width; x++) {
      // Never below -1: rounding towards 0 is then rounding down.
      const level = ((tones[begin + x] as number) * (LEVELS - 1) + (noise[x >> 1] as number)) | 0;
      levels[begin + x] = level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level;
    }
  }
  return levels;
}
