import type { Tones } from "./picture.js";

/** A bitmap, row by row: 1 where something is drawn. */
export interface Bits {
  side: number;
  on: Uint8Array;
}

/** Tones below are drawn, the others are ground. */
const THRESHOLD = 22;

/**
 * Possible figures in a square, by several readings, as drawings are filled, outlined, broken or on a dark
 * card: a program without knowledge of the style compares all of them.
 */
export function readings(square: Tones): Bits[] {
  const side = square.width;
  const dark = { side, on: square.tones.map((tone) => (tone < THRESHOLD ? 1 : 0)) };
  const ink = middlePart(opened(dark));
  const mended = closedUp(ink, 3);
  const levels = depths(mended);
  const at = (test: (depth: number) => boolean): Bits => ({
    side,
    on: levels.map((depth) => (test(depth) ? 1 : 0)),
  });
  return [
    mended,
    // Everything that the outside does not reach.
    at((depth) => depth > 0),
    // An outline: its inside belongs to it, enclosed parts of that do not.
    at((depth) => depth === 1 || depth === 2 || depth === 3),
    // A card: its light parts, with everything that they enclose.
    at((depth) => depth === 2),
    at((depth) => depth === 2 || depth === 3),
  ];
}

/** The bitmap without lines of one or two pixels: worn down, then grown back. */
function opened(bits: Bits): Bits {
  return grown(worn(bits, 1), 1);
}

function closedUp(bits: Bits, pixels: number): Bits {
  return worn(grown(bits, pixels), pixels);
}

function grown({ side, on }: Bits, pixels: number): Bits {
  let from = on;
  for (let pass = 0; pass < pixels; pass++) {
    const to = from.slice();
    for (let i = side; i < from.length - side; i++)
      if (from[i - 1] || from[i + 1] || from[i - side] || from[i + side]) to[i] = 1;
    from = to;
  }
  return { side, on: from };
}

function worn({ side, on }: Bits, pixels: number): Bits {
  let from = on;
  for (let pass = 0; pass < pixels; pass++) {
    const to = from.slice();
    for (let i = side; i < from.length - side; i++)
      if (!(from[i - 1] && from[i + 1] && from[i - side] && from[i + side])) to[i] = 0;
    from = to;
  }
  return { side, on: from };
}

/** Components that are not small and reach into the middle. */
function middlePart({ side, on }: Bits): Bits {
  const out = new Uint8Array(on.length);
  const seen = new Uint8Array(on.length);
  for (let start = 0; start < on.length; start++) {
    if (!on[start] || seen[start]) continue;
    const part = flood(side, start, (i) => on[i] === 1, seen);
    const isMiddle = part.some((i) => {
      const [x, y] = [(i % side) - side / 2, Math.floor(i / side) - side / 2];
      return Math.hypot(x, y) < side * 0.36;
    });
    if (isMiddle && part.length > 24) for (const i of part) out[i] = 1;
  }
  return { side, on: out };
}

function flood(side: number, start: number, isIn: (i: number) => boolean, seen: Uint8Array): number[] {
  const part = [start];
  seen[start] = 1;
  for (let n = 0; n < part.length; n++) {
    const i = part[n] as number;
    const x = i % side;
    for (const next of [x > 0 ? i - 1 : i, x < side - 1 ? i + 1 : i, i - side, i + side])
      if (next >= 0 && next < seen.length && !seen[next] && isIn(next)) {
        seen[next] = 1;
        part.push(next);
      }
  }
  return part;
}

/**
 * Number of edges between a pixel and the outside: 0 outside, 1 a figure, 2 a hole in it, 3 a figure there …
 */
function depths({ side, on }: Bits): Uint8Array {
  const out = new Uint8Array(on.length).fill(255);
  const seen = new Uint8Array(on.length);
  let next: number[] = [];
  for (let i = 0; i < side; i++) next.push(i, on.length - 1 - i, i * side, i * side + side - 1);
  let starts = next.filter((i) => !on[i]);
  for (let depth = 0; starts.length > 0 && depth < 12; depth++) {
    next = [];
    for (const start of starts) {
      if (seen[start]) continue;
      for (const i of flood(side, start, (at) => on[at] === depth % 2, seen)) {
        out[i] = depth;
        next.push(i);
      }
    }
    starts = next
      .flatMap((i) => [i - 1, i + 1, i - side, i + side])
      .filter((i) => i >= 0 && i < on.length && !seen[i]);
  }
  return out.map((depth) => (depth === 255 ? 1 : depth));
}
