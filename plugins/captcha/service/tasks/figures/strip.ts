import type { Medium } from "../media.js";
import type { Random } from "../random.js";
import { pictureOf } from "../raster/png.js";
import { SCALE } from "../raster/quantise.js";
import type { Drawn } from "./choice.js";
import { drawLook } from "./drawing.js";
import { ground, scratch } from "./ground.js";

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
