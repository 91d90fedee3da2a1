import type { Medium } from "../media.js";
import type { Random } from "../random.js";
import { type Canvas, canvasOf, fillFaces } from "../raster/canvas.js";
import { curve, stroked } from "../raster/geometry.js";
import { pictureOf, SCALE } from "../raster/png.js";
import { mesh } from "../raster/texture.js";
import type { Drawn } from "./choice.js";
import { drawLook, LIGHT } from "./drawing.js";

/** Light and uneven, with soft curves that are not aligned to cells. Sizes in pixels of the picture. */
export function ground(width: number, height: number, random: Random): Canvas {
  const canvas = canvasOf(width, height, mesh(random, random.between(110, 150), ...LIGHT));
  const curves = Math.round(width / 120);
  for (let i = 0; i < curves; i++) {
    const tone = random.between(0.8, 0.9);
    fillFaces(canvas, stroked(longCurve(canvas, random), random.between(3, 9)), tone);
  }
  return canvas;
}

function longCurve({ width, height }: Canvas, random: Random): number[] {
  const [from, to] = [random.between(0, height), random.between(0, height)];
  const [bend, phase] = [random.between(0.1, 0.4) * height, random.between(0, 6.28)];
  return curve(28, (t) => [t * width, from + (to - from) * t + bend * Math.sin(t * 5 + phase)]);
}

/** Thin line as dark as the figures, over all: programs must remove it first. @param share of its usual thickness */
export function scratch(canvas: Canvas, random: Random, share = 1): void {
  const tone = random.between(0.05, 0.3);
  fillFaces(canvas, stroked(longCurve(canvas, random), share * random.between(2.4, 3.4)), tone);
}

/** Light line: a crossed figure is two pieces for programs, one behind it for people. @param share of thickness */
export function cut(canvas: Canvas, random: Random, share = 1): void {
  const tone = random.between(...LIGHT);
  fillFaces(canvas, stroked(longCurve(canvas, random), share * random.between(3, 4)), tone);
}

/** Pixels of the layout. */
const STRIP = { width: 360, height: 72 } as const;
const RADIUS = 26;

export function drawStrip(samples: readonly Drawn[], random: Random): Medium {
  const canvas = ground(STRIP.width * SCALE, STRIP.height * SCALE, random);
  const slot = STRIP.width / samples.length;
  samples.forEach(({ look }, i) => {
    const at = {
      x: (slot * (i + 0.5) + random.between(-2, 2)) * SCALE,
      y: (STRIP.height / 2 + random.between(-1, 1)) * SCALE,
      radius: RADIUS * random.between(0.92, 1) * SCALE,
    };
    drawLook(canvas, look, at, random, SCALE);
  });
  scratch(canvas, random);
  return { name: "strip", kind: "png", ...STRIP, bytes: pictureOf(canvas, random) };
}
