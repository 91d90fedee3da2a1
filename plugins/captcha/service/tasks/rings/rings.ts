import { type Drawn, drawn, drawnAmong } from "../figures/choice.js";
import { drawLook } from "../figures/drawing.js";
import { type Family, families } from "../figures/families.js";
import { cut, ground, scratch } from "../figures/ground.js";
import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { circle, solid } from "../raster/geometry.js";
import { maskOf } from "../raster/mask.js";
import { type Palette, palette } from "../raster/palette.js";
import { pictureOf, SCALE } from "../raster/png.js";

/** Pixels of the layout: side of a disc, and radius of the circle of figures. */
const SIDE = 116;
const FAR = 41.5;
/** Figure on the ring, and sample in its middle. */
export const RADIUS = 13.2;
const SAMPLE_RADIUS = 15;
/** One has the sample's form, the others have other counts of its family, each of them at least once. */
export const POSITIONS = 7;
/** Maximum deviation of a figure from its position in degrees. */
const OFF = 3;
const ACROSS = [2, 3, 4] as const;
/** Factor for lines across, which are thinner for smaller figures. */
const FINER = 0.8;

/** V2 (reference 4.3): the visitor turns each ring until the form in its middle is at the mark above. */
export function renderRings({ angles }: AnswerOf<"rings">, level: Level, random: Random): Medium[] {
  const chosen = random.shuffled(families().filter(({ fine }) => !fine));
  return angles.map((angle, i): Medium => {
    const bytes = drawRing(chosen[i] as Family, angle, { level, colours: palette(random), random });
    return { name: `ring${i + 1}`, kind: "png", width: SIDE, height: SIDE, bytes };
  });
}

interface Style {
  level: Level;
  colours: Palette;
  random: Random;
}

/** Draws each figure at its final position: no resampling reveals how far the ring was turned. */
function drawRing(family: Family, angle: number, { level, colours, random }: Style): Uint8Array<ArrayBuffer> {
  const side = SIDE * SCALE;
  const canvas = ground(side, side, random);
  const { sample, ring } = figuresOf(family, random);
  ring.forEach(({ look }, place) => {
    const degrees = (place * 360) / POSITIONS - 90 - angle + (place === 0 ? 0 : random.between(-OFF, OFF));
    const radians = (degrees * Math.PI) / 180;
    const at = {
      x: side / 2 + FAR * SCALE * Math.cos(radians),
      y: side / 2 + FAR * SCALE * Math.sin(radians),
      radius: RADIUS * random.between(0.97, 1.03) * SCALE,
    };
    drawLook(canvas, look, at, random, SCALE);
  });
  drawLook(canvas, sample.look, { x: side / 2, y: side / 2, radius: SAMPLE_RADIUS * SCALE }, random, SCALE);
  for (let i = 0; i < ACROSS[level]; i++) {
    cut(canvas, random, FINER);
    scratch(canvas, random, FINER);
  }
  const cover = new Float32Array(side * side);
  const disc = maskOf([solid(circle(side / 2, side / 2, side / 2 - 2))]);
  for (let y = 0; y < disc.height; y++)
    cover.set(disc.cover.subarray(y * disc.width, (y + 1) * disc.width), (y + disc.y) * side + disc.x);
  return pictureOf(canvas, random, { palette: colours, cover });
}

/** Clockwise; the first has the sample's form. */
function figuresOf(family: Family, random: Random): { sample: Drawn; ring: Drawn[] } {
  const count = random.pick(family.counts);
  const sample = drawn({ family, count }, random, true);
  const others = random.shuffled(family.counts.filter((other) => other !== count));
  const rivals = Array.from({ length: POSITIONS - 1 }, (_, i) =>
    drawn({ family, count: others[i % others.length] as number }, random, true),
  );
  const right = drawnAmong({ family, count }, sample, rivals, random, true);
  return { sample, ring: [right, ...random.shuffled(rivals)] };
}
