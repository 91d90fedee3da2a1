import type { Random } from "../random.js";
import { type Canvas, fill, type Paint } from "../raster/canvas.js";
import { curve, solid } from "../raster/geometry.js";
import { eroded, maskOf } from "../raster/mask.js";
import { gaps, texture } from "../raster/texture.js";
import type { Family } from "./families.js";
import { bodyOf, type Look, type Place, rimOf } from "./figure.js";

/** 0 dark, 1 light. Figure and ground are at least 0.64 apart, 3:1 in every palette (WCAG 1.4.11). */
export const DARK = [0, 0.12] as const;
export const LIGHT = [0.84, 0.99] as const;

/** Tone within a broken line: darker than the ground, so that the form holds together. */
const PALE = 0.76;

/** @param scale pixels of the picture per pixel of the layout */
export function drawLook(canvas: Canvas, look: Look, at: Place, random: Random, scale: number): void {
  const body = bodyOf(look, at);
  const dark = random.between(...DARK);
  const light = random.between(...LIGHT);
  const thick = Math.round(random.between(1.5, 2.2) * scale);
  switch (look.style) {
    case "filled":
      fill(canvas, body, dark);
      fill(canvas, eroded(body, thick), insideOf(look.figure.family, random));
      break;
    case "outline":
      fill(canvas, body, dark);
      fill(canvas, eroded(body, thick), light);
      break;
    case "broken": {
      const open = gaps(random, 12 * scale);
      fill(canvas, body, PALE);
      const rim = rimOf(body, thick + 1);
      for (let i = 0, row = 0; row < rim.height; row++)
        for (let column = 0; column < rim.width; column++, i++) {
          const cover = rim.cover[i] as number;
          if (cover > 0) rim.cover[i] = cover * open(column, row);
        }
      fill(canvas, rim, dark);
      break;
    }
    case "card":
    case "card outline":
      fill(canvas, cardAt(at, random), dark);
      fill(canvas, body, light);
      if (look.style === "card outline") fill(canvas, eroded(body, thick), dark);
  }
}

/** Card of irregular form, a little larger than the figure. */
function cardAt({ x, y, radius }: Place, random: Random) {
  const waves = [2, 3, 5].map(
    (times) => [times, random.between(0, 6.28), random.between(0.02, 0.05)] as const,
  );
  return maskOf([
    solid(
      curve(40, (t) => {
        const angle = t * Math.PI * 2;
        const r =
          radius * (1.2 + waves.reduce((sum, [times, at, by]) => sum + by * Math.sin(times * angle + at), 0));
        return [x + r * Math.cos(angle), y + r * Math.sin(angle)];
      }),
    ),
  ]);
}

function insideOf({ holed }: Family, random: Random): Paint {
  const [light, dark] = [random.between(0.5, 0.72), random.between(0.16, 0.3)];
  const [one, other] = random.float() < 0.5 ? [light, dark] : [dark, light];
  return texture(random, one, other, holed ? "no dots" : "any");
}
