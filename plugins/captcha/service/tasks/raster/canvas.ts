import type { Mask } from "./mask.js";

/** A picture in one tone: 0 is the dark end of its palette, 1 the light one. */
export interface Canvas {
  width: number;
  height: number;
  tones: Float32Array;
}

/** Tone at a pixel. */
export type Paint = (x: number, y: number) => number;

/** A ground that changes slowly: looked at once for each four pixels. Sides are even numbers of pixels. */
export function canvasOf(width: number, height: number, paint: Paint): Canvas {
  const tones = new Float32Array(width * height);
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      const at = y * width + x;
      const tone = paint(x, y);
      tones[at] = tone;
      tones[at + 1] = tone;
      tones[at + width] = tone;
      tones[at + width + 1] = tone;
    }
  return { width, height, tones };
}

/** Lays paint over the picture where the mask covers it. @param opacity 0..1 */
export function fill(
  { width, height, tones }: Canvas,
  { x, y, width: w, height: h, cover }: Mask,
  paint: Paint,
  opacity = 1,
): void {
  const [fromX, toX] = [Math.max(0, x), Math.min(width, x + w)];
  const [fromY, toY] = [Math.max(0, y), Math.min(height, y + h)];
  for (let row = fromY; row < toY; row++) {
    let i = (row - y) * w + fromX - x;
    let at = row * width + fromX;
    for (let column = fromX; column < toX; column++, i++, at++) {
      const share = (cover[i] as number) * opacity;
      if (share <= 0.004) continue;
      const below = tones[at] as number;
      tones[at] = below + (paint(column, row) - below) * share;
    }
  }
}
