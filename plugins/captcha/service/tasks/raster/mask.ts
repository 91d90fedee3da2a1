import type { Line } from "./geometry.js";

/** How much of each pixel of a rectangle is covered, 0..1, row by row. */
export interface Mask {
  x: number;
  y: number;
  width: number;
  height: number;
  cover: Float32Array;
}

/** Faces reach at most this far; coordinates beyond are a fault of the drawing, not of input. */
const WIDEST = 4096;

/**
 * Exact cover of faces under the non-zero rule as far as no more than two edges share a pixel. Each edge adds the change of
 * cover from pixel to pixel of its rows; one sum along the rows then gives the cover (as font rasters do).
 */
export function maskOf(faces: readonly Line[]): Mask {
  let [left, top, right, bottom] = [WIDEST, WIDEST, -WIDEST, -WIDEST];
  for (const face of faces)
    for (let i = 0; i < face.length; i += 2) {
      const [x, y] = [face[i] as number, face[i + 1] as number];
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  const [x, y] = [Math.floor(left) - 1, Math.floor(top) - 1];
  const width = Math.max(0, Math.min(WIDEST, Math.ceil(right) + 2 - x));
  const height = Math.max(0, Math.min(WIDEST, Math.ceil(bottom) + 2 - y));
  const cover = new Float32Array(width * height);
  for (const face of faces) addFace(cover, width, face, x, y);
  for (let row = 0; row < height; row++) {
    let sum = 0;
    for (let i = row * width; i < (row + 1) * width; i++) {
      sum += cover[i] as number;
      const wound = Math.abs(sum);
      cover[i] = wound > 1 ? 1 : wound;
    }
  }
  return { x, y, width, height, cover };
}

function addFace(cover: Float32Array, width: number, face: Line, left: number, top: number): void {
  for (let i = 0; i < face.length; i += 2) {
    const j = (i + 2) % face.length;
    const [x0, y0] = [(face[i] as number) - left, (face[i + 1] as number) - top];
    const [x1, y1] = [(face[j] as number) - left, (face[j + 1] as number) - top];
    if (y0 < y1) addEdge(cover, width, x0, y0, x1, y1, 1);
    else if (y1 < y0) addEdge(cover, width, x1, y1, x0, y0, -1);
  }
}

function addEdge(
  cover: Float32Array,
  width: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
  winding: number,
): void {
  const slope = (x1 - x0) / (y1 - y0);
  let x = x0;
  const last = Math.ceil(y1);
  for (let row = Math.floor(y0); row < last; row++) {
    const part = Math.min(row + 1, y1) - Math.max(row, y0);
    const next = x + slope * part;
    addSpan(cover, row * width, Math.min(x, next), Math.max(x, next), part * winding);
    x = next;
  }
}

/** One row's piece of an edge, from x = `from` to `to`; `weight`: its height, signed by its direction. */
function addSpan(cover: Float32Array, row: number, from: number, to: number, weight: number): void {
  const first = Math.floor(from);
  const end = Math.ceil(to);
  if (end <= first + 1) {
    const middle = (from + to) / 2 - first;
    add(cover, row + first, weight * (1 - middle));
    add(cover, row + first + 1, weight * middle);
    return;
  }
  // Cover grows along the edge: as a triangle in its first and last pixel, evenly between.
  const perPixel = 1 / (to - from);
  const [into, outOf] = [first + 1 - from, to - (end - 1)];
  const [start, stop] = [0.5 * perPixel * into * into, 0.5 * perPixel * outOf * outOf];
  add(cover, row + first, weight * start);
  let before = start;
  for (let i = first + 1; i < end - 1; i++) {
    const upTo = perPixel * (into + (i - first - 1) + 0.5);
    add(cover, row + i, weight * (upTo - before));
    before = upTo;
  }
  add(cover, row + end - 1, weight * (1 - stop - before));
  add(cover, row + end, weight * stop);
}

function add(cover: Float32Array, at: number, amount: number): void {
  cover[at] = (cover[at] as number) + amount;
}

/** The mask without its outermost `pixels`: what remains inside an edge. */
export function eroded({ x, y, width, height, cover }: Mask, pixels: number): Mask {
  let from = cover;
  for (let pass = 0; pass < pixels; pass++) {
    const to = new Float32Array(from.length);
    // Square and cross take turns, which wears corners down like a circle would.
    const diagonal = pass % 2 === 1;
    for (let i = width + 1; i < from.length - width - 1; i++) {
      let least = from[i] as number;
      if (least === 0) continue;
      least = Math.min(least, from[i - 1] as number, from[i + 1] as number);
      least = Math.min(least, from[i - width] as number, from[i + width] as number);
      if (diagonal) {
        least = Math.min(least, from[i - width - 1] as number, from[i - width + 1] as number);
        least = Math.min(least, from[i + width - 1] as number, from[i + width + 1] as number);
      }
      to[i] = least;
    }
    from = to;
  }
  return { x, y, width, height, cover: from };
}
