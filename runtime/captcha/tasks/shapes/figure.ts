import { Random, type Seed } from "../random.js";
import { type Canvas, fill } from "../raster/canvas.js";
import { moved, placed } from "../raster/geometry.js";
import { eroded, maskOf } from "../raster/mask.js";
import { texture } from "../raster/texture.js";
import type { Family } from "./families.js";

/** One form: the same wherever it is drawn, whatever it is filled with. */
export interface Figure {
  family: Family;
  count: number;
  /** Of the form's own numbers; twins share it. */
  seed: Seed;
}

/** A figure that differs from another in its count, by one. Undefined when there is none that is not `taken`. */
export function twinOf(figure: Figure, random: Random, taken: readonly Figure[] = []): Figure | undefined {
  const [least, most] = figure.family.counts;
  const free = [figure.count - 1, figure.count + 1].filter(
    (count) =>
      count >= least &&
      count <= most &&
      !taken.some((other) => other.family === figure.family && other.count === count),
  );
  return free.length === 0 ? undefined : { ...figure, count: random.pick(free) };
}

/** Where and how large: pixels of the layout, degrees clockwise. */
export interface Place {
  x: number;
  y: number;
  radius: number;
  degrees: number;
}

/** Draws a figure: a dark edge, so that its outline is clear, and any texture within. */
export function drawFigure(canvas: Canvas, figure: Figure, at: Place, random: Random, scale: number): void {
  const transform = placed(at.degrees, at.radius * scale, at.x * scale, at.y * scale);
  const faces = figure.family.faces(figure.count, new Random(figure.seed));
  const mask = maskOf(faces.map((face) => moved(face, transform)));
  const edge = random.between(0, 0.12);
  fill(canvas, mask, () => edge);
  const light = random.between(0.5, 0.72);
  const dark = random.between(0.16, 0.3);
  const inside = eroded(mask, Math.round(random.between(1.6, 2.4) * scale));
  fill(canvas, inside, random.float() < 0.5 ? texture(random, light, dark) : texture(random, dark, light));
}
