import { BLOCK_PIXELS, edges } from "./edges.js";
import type { Line } from "./geometry.js";
import type { Mask } from "./mask.js";

/** One tone: 0 is the dark end of the palette, 1 the light one. */
export interface Canvas {
  width: number;
  height: number;
  tones: Float32Array;
}

export type Paint = (x: number, y: number) => number;

/** Slowly changing ground, computed once per four pixels. Width and height are even. */
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

export function fill(
  { width, height, tones }: Canvas,
  { x, y, width: w, height: h, cover }: Mask,
  paint: Paint | number,
): void {
  const [fromX, toX] = [Math.max(0, x), Math.min(width, x + w)];
  const [fromY, toY] = [Math.max(0, y), Math.min(height, y + h)];
  for (let row = fromY; row < toY; row++) {
    let i = (row - y) * w + fromX - x;
    let at = row * width + fromX;
    for (let column = fromX; column < toX; column++, i++, at++) {
      const share = cover[i] as number;
      if (share <= FAINTEST) continue;
      const below = tones[at] as number;
      const tone = typeof paint === "number" ? paint : paint(column, row);
      tones[at] = below + (tone - below) * share;
    }
  }
}

/** Draws large faces with little cover, such as a line from side to side; makes no mask. */
export function fillFaces({ width, height, tones }: Canvas, faces: readonly Line[], tone: number): void {
  edges.enter(faces, undefined, 0, height);
  const { x, y, width: w, stride, changes, blocks } = edges;
  const [fromY, toY] = [Math.max(0, y), Math.min(height, y + edges.height)];
  for (let row = fromY; row < toY; row++) {
    const begin = (row - y) * w;
    // Offset from a pixel of the mask to that of the picture.
    const off = row * width + x - begin;
    const [first, last] = [row * width, (row + 1) * width];
    let sum = 0;
    for (let block = 0; block < stride; block++) {
      const mark = (row - y) * stride + block;
      if (blocks[mark] === 0 && Math.abs(sum) <= FAINTEST) continue;
      blocks[mark] = 0;
      const from = begin + block * BLOCK_PIXELS;
      const to = Math.min(from + BLOCK_PIXELS, begin + w);
      for (let i = from; i < to; i++) {
        sum += changes[i] as number;
        changes[i] = 0;
        const wound = Math.abs(sum);
        const at = i + off;
        if (wound <= FAINTEST || at < first || at >= last) continue;
        const below = tones[at] as number;
        tones[at] = below + (tone - below) * (wound > 1 ? 1 : wound);
      }
    }
  }
}

/** Minimum to draw: below are rounding errors, or less than a level can show. */
const FAINTEST = 0.004;
