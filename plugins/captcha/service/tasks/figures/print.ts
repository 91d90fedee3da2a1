import type { Mask } from "../raster/mask.js";
import { bodyOf, type Look, rimOf } from "./figure.js";

const RADIUS = 17;
export const RADII = 16;
/** Bits of a word, so that a rotation of the drawing rotates each word. */
export const ANGLES = 32;
/** Radius of a print, in root mean squares of the drawing's distance from its middle. */
const REACH = 2.2;

/** Drawing as programs can see it: cover by rings around its middle, a word per ring, a bit per direction. */
export interface Print {
  ink: Int32Array;
  /** Cover without the holes. */
  whole: Int32Array;
  /** Rotation-invariant measures. */
  fixed: Uint8Array;
}

/** Print without the lines across the drawing, which programs may have to remove first. */
export function printOf(look: Look): Print {
  const body = bodyOf(look, { x: 0, y: 0, radius: RADIUS });
  const isSolid = look.style === "filled" || look.style === "card";
  const drawn = isSolid ? body : rimOf(body, 2);
  const [ink, whole] = [around(drawn, drawn.cover), around(body, closed(drawn))];
  return { ink, whole, fixed: fixedOf(ink, whole) };
}

const COS = Float64Array.from({ length: ANGLES }, (_, a) => Math.cos((a / ANGLES) * Math.PI * 2));
const SIN = Float64Array.from({ length: ANGLES }, (_, a) => Math.sin((a / ANGLES) * Math.PI * 2));

function around({ width, height }: Mask, cover: Float32Array): Int32Array {
  const [mx, my, spread] = middleOf(width, height, cover);
  const size = spread * REACH;
  const words = new Int32Array(RADII);
  for (let r = 0; r < RADII; r++) {
    const radius = ((r + 0.5) / RADII) * size;
    let word = 0;
    for (let a = 0; a < ANGLES; a++) {
      const x = Math.round(mx + radius * (COS[a] as number));
      const y = Math.round(my + radius * (SIN[a] as number));
      if (x < 0 || y < 0 || x >= width || y >= height) continue;
      if ((cover[y * width + x] as number) > 0.5) word |= 1 << a;
    }
    words[r] = word;
  }
  return words;
}

/** Middle of the covered area, and the root mean square of the distance from it. */
function middleOf(
  width: number,
  height: number,
  cover: Float32Array,
): [x: number, y: number, spread: number] {
  let [mass, mx, my, square] = [0, 0, 0, 0];
  for (let i = 0, y = 0; y < height; y++) {
    let [inRow, byX, byXX] = [0, 0, 0];
    for (let x = 0; x < width; x++, i++) {
      const c = cover[i] as number;
      if (c === 0) continue;
      inRow += c;
      byX += c * x;
      byXX += c * x * x;
    }
    mass += inRow;
    mx += byX;
    my += inRow * y;
    square += byXX + inRow * y * y;
  }
  [mx, my] = [mx / mass, my / mass];
  return [mx, my, Math.sqrt(square / mass - mx * mx - my * my)];
}

/** Cover with filled holes. The outermost pixels of a mask are empty. */
function closed({ width, height, cover }: Mask): Float32Array {
  const out = new Float32Array(cover.length).fill(1);
  const open = [0];
  out[0] = 0;
  const reach = (at: number) => {
    if (out[at] === 0 || (cover[at] as number) > 0.5) return;
    out[at] = 0;
    open.push(at);
  };
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    if (x > 0) reach(at - 1);
    if (x < width - 1) reach(at + 1);
    if (at >= width) reach(at - width);
    if (at < width * (height - 1)) reach(at + width);
  }
  return out;
}

export function laidOver(one: Int32Array, other: Int32Array): number {
  let most = 0;
  for (let turn = 0; turn < ANGLES; turn++) {
    let same = 0;
    for (let r = 0; r < RADII; r++)
      same += (r + 1) * bits(~((one[r] as number) ^ rotate(other[r] as number, turn)));
    if (same > most) most = same;
  }
  return most;
}

/** Each ring's agreement with its rotations, and its changes of cover; with and without holes. */
function fixedOf(ink: Int32Array, whole: Int32Array): Uint8Array {
  const fixed = new Uint8Array(RADII * (2 * TURNS + 1));
  let at = 0;
  for (const words of [ink, whole])
    for (const word of words) for (let by = 0; by < TURNS; by++) fixed[at++] = bits(word & rotate(word, by));
  for (const word of ink) fixed[at++] = bits(word ^ rotate(word, 1));
  return fixed;
}
/** Further ones repeat these. */
const TURNS = ANGLES / 2 + 1;

export const rotate = (word: number, by: number): number =>
  (word << by) | (word >>> ((ANGLES - by) % ANGLES));

export function bits(word: number): number {
  let w = word - ((word >>> 1) & 0x55555555);
  w = (w & 0x33333333) + ((w >>> 2) & 0x33333333);
  return Math.imul((w + (w >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
