import { BLOCK_PIXELS, edges, type Movement } from "./edges.js";
import type { Line } from "./geometry.js";

/** Cover 0..1, row by row. The outermost pixels are empty. */
export interface Mask {
  x: number;
  y: number;
  width: number;
  height: number;
  cover: Float32Array;
}

/** Exact under the non-zero rule, unless more than two edges share a pixel. */
export function maskOf(faces: readonly Line[], move?: Movement): Mask {
  edges.enter(faces, move);
  const { x, y, width, height, stride, changes, blocks } = edges;
  const cover = new Float32Array(width * height);
  for (let row = 0; row < height; row++) {
    const begin = row * width;
    let sum = 0;
    for (let block = 0; block < stride; block++) {
      const from = begin + block * BLOCK_PIXELS;
      const to = Math.min(from + BLOCK_PIXELS, begin + width);
      const wound = Math.abs(sum);
      if (blocks[row * stride + block] === 0) {
        if (wound > NOTHING) cover.fill(wound > 1 ? 1 : wound, from, to);
        continue;
      }
      blocks[row * stride + block] = 0;
      for (let i = from; i < to; i++) {
        sum += changes[i] as number;
        changes[i] = 0;
        const share = Math.abs(sum);
        cover[i] = share > 1 ? 1 : share;
      }
    }
  }
  return { x, y, width, height, cover };
}

/** Maximum cover from rounding errors of sums in single precision. */
const NOTHING = 1e-5;

export function eroded({ x, y, width, height, cover }: Mask, pixels: number): Mask {
  const buffers = [new Float32Array(cover.length), new Float32Array(cover.length)] as const;
  let from = cover;
  for (let pass = 0; pass < pixels; pass++) {
    const to = buffers[pass & 1] as Float32Array;
    // Square and cross alternate, which wears corners down as a circle would.
    if ((pass & 1) === 1) leastOfSquares(from, to, width, height);
    else leastOfCrosses(from, to, width, height);
    from = to;
  }
  return { x, y, width, height, cover: from };
}

function leastOfCrosses(from: Float32Array, to: Float32Array, width: number, height: number): void {
  for (let row = 1; row < height - 1; row++) {
    const end = (row + 1) * width - 1;
    for (let i = row * width + 1; i < end; i++) {
      let least = from[i] as number;
      if (least > 0) {
        least = lesser(least, lesser(from[i - 1] as number, from[i + 1] as number));
        least = lesser(least, lesser(from[i - width] as number, from[i + width] as number));
      }
      to[i] = least;
    }
  }
}

/** Minimum of three columns, of which the next pixel shares two. */
function leastOfSquares(from: Float32Array, to: Float32Array, width: number, height: number): void {
  for (let row = 1; row < height - 1; row++) {
    const end = (row + 1) * width - 1;
    let left = 0;
    let here = leastOfColumn(from, row * width + 1, width);
    for (let i = row * width + 1; i < end; i++) {
      const right = leastOfColumn(from, i + 1, width);
      to[i] = lesser(here, lesser(left, right));
      left = here;
      here = right;
    }
  }
}

const leastOfColumn = (from: Float32Array, i: number, width: number): number =>
  lesser(from[i] as number, lesser(from[i - width] as number, from[i + width] as number));

/** Math.min without handling of -0 and NaN, which a mask never contains. */
const lesser = (one: number, other: number): number => (one < other ? one : other);
