import type { Random } from "../random.js";

export const LEVELS = 32;

/** Red, green, blue of each level, from dark to light. */
export type Palette = Uint8Array;

type Colour = readonly [number, number, number];

/** Ends have at least 9:1, so that 3:1 remains between figures and ground (WCAG 1.4.11). */
const RAMPS: readonly (readonly [Colour, Colour, Colour])[] = [
  [
    [18, 24, 68],
    [46, 130, 150],
    [247, 243, 226],
  ],
  [
    [44, 14, 64],
    [190, 82, 106],
    [255, 240, 219],
  ],
  [
    [10, 46, 44],
    [72, 150, 96],
    [246, 248, 224],
  ],
  [
    [30, 26, 78],
    [112, 108, 196],
    [240, 242, 255],
  ],
  [
    [58, 22, 14],
    [200, 116, 52],
    [255, 246, 222],
  ],
  [
    [12, 38, 66],
    [72, 138, 200],
    [238, 247, 252],
  ],
  [
    [40, 30, 40],
    [140, 122, 134],
    [250, 246, 240],
  ],
  [
    [52, 12, 40],
    [152, 84, 166],
    [250, 238, 248],
  ],
];

/** Random for each picture, as colour never means anything (WCAG 1.4.1). */
export function palette(random: Random): Palette {
  const [dark, middle, light] = random.pick(RAMPS);
  const out = new Uint8Array(LEVELS * 3);
  for (let level = 0; level < LEVELS; level++) {
    const t = level / (LEVELS - 1);
    const [from, to, share] = t < 0.5 ? [dark, middle, t * 2] : [middle, light, t * 2 - 1];
    for (let i = 0; i < 3; i++)
      out[level * 3 + i] = Math.round((from[i] as number) * (1 - share) + (to[i] as number) * share);
  }
  return out;
}
