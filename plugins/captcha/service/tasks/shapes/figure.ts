import { Random, type Seed } from "../random.js";
import { type Canvas, fill, type Paint } from "../raster/canvas.js";
import { type Affine, type Line, moved, placed } from "../raster/geometry.js";
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

/** How far a point is moved by the warp, in radii, and how much longer or shorter one side may be. */
const WARP = 0.055;
const STRETCH = [0.84, 1.18] as const;
/** Of 100 figures, those that are outlines: what is inside is as light as the ground. */
const OUTLINES = 35;

/**
 * Draws a figure: a dark edge, so that its outline is clear, and any texture within. Each drawing is stretched, sheared and warped
 * a little, and some are outlines only: to people it stays the same form, to a template it does not.
 */
export function drawFigure(canvas: Canvas, figure: Figure, at: Place, random: Random, scale: number): void {
  const stretch = random.between(...STRETCH);
  const transform = placed(
    at.degrees,
    (at.radius * scale) / Math.sqrt(stretch),
    at.x * scale,
    at.y * scale,
    stretch,
  );
  // The axis of the stretch is as random as the figure's own place on it.
  const axis = random.between(0, 180);
  const warp = newWarp(random);
  const bent = figure.family
    .faces(figure.count, new Random(figure.seed))
    .map((face) => moved(moved(warp(face), placed(axis, 1, 0, 0)), turnedBy(transform, -axis)));
  const mask = maskOf(bent);
  const edge = random.between(0, 0.12);
  fill(canvas, mask, () => edge);
  const inside = eroded(mask, Math.round(random.between(1.6, 2.4) * scale));
  fill(canvas, inside, insideOf(figure.family, random));
}

function insideOf({ holed }: Family, random: Random): Paint {
  if (random.integer(100) < OUTLINES) {
    const light = random.between(0.82, 0.95);
    return () => light;
  }
  const [light, dark] = [random.between(0.5, 0.72), random.between(0.16, 0.3)];
  const [one, other] = random.float() < 0.5 ? [light, dark] : [dark, light];
  return texture(random, one, other, holed ? "no dots" : "any");
}

/** The same movement for a drawing that was turned before. */
function turnedBy(transform: Affine, degrees: number): Affine {
  const { a, b, c, d } = placed(degrees, 1, 0, 0);
  return {
    ...transform,
    ...{ a: transform.a * a + transform.c * b, b: transform.b * a + transform.d * b },
    ...{ c: transform.a * c + transform.c * d, d: transform.b * c + transform.d * d },
  };
}

function newWarp(random: Random): (face: Line) => number[] {
  const wave = () =>
    [random.between(1.4, 2.4), random.between(0, 6.28), random.between(0.5, 1) * WARP] as const;
  const [across, down] = [wave(), wave()];
  return (face) => {
    const out = new Array<number>(face.length);
    for (let i = 0; i < face.length; i += 2) {
      const x = face[i] as number;
      const y = face[i + 1] as number;
      out[i] = x + across[2] * Math.sin(y * across[0] + across[1]);
      out[i + 1] = y + down[2] * Math.sin(x * down[0] + down[1]);
    }
    return out;
  };
}
