import { describe, expect, it } from "vitest";
import { Random } from "../../../../plugins/captcha/service/tasks/random.js";
import {
  type Canvas,
  canvasOf,
  fill,
  fillFaces,
} from "../../../../plugins/captcha/service/tasks/raster/canvas.js";
import {
  circle,
  hole,
  type Line,
  solid,
  stroked,
} from "../../../../plugins/captcha/service/tasks/raster/geometry.js";
import { eroded, type Mask, maskOf } from "../../../../plugins/captcha/service/tasks/raster/mask.js";

const WIDTH = 96;
const HEIGHT = 64;
const blank = (): Canvas => canvasOf(WIDTH, HEIGHT, () => 1);
const covered = ({ cover }: Mask): number => cover.reduce((sum, share) => sum + share, 0);

/** A line that begins, ends and passes outside of the picture on every side. */
function wildLine(random: Random): Line[] {
  const points = Array.from({ length: 14 }, (_, i) => random.between(-40, (i % 2 ? HEIGHT : WIDTH) + 40));
  return stroked(points, random.between(1, 20));
}

describe("the raster", () => {
  it("a mask covers exactly the area of a face, with parts of pixels and without its holes", () => {
    expect(covered(maskOf([solid([2.25, 3.5, 40.75, 3.5, 40.75, 9.25, 2.25, 9.25])]))).toBeCloseTo(
      38.5 * 5.75,
      3,
    );
    const [outer, inner] = [solid(circle(50, 50, 30)), hole(solid(circle(50, 50, 12)))];
    expect(covered(maskOf([outer, inner])) / (Math.PI * (30 ** 2 - 12 ** 2))).toBeCloseTo(1, 2);
  });

  it("a mask covers a pixel once where faces overlap", () => {
    const one = solid([0, 0, 20, 0, 20, 20, 0, 20]);
    const other = solid([10, 10, 30, 10, 30, 30, 10, 30]);
    expect(covered(maskOf([one, other]))).toBeCloseTo(700, 3);
    expect(Math.max(...maskOf([one, other]).cover)).toBe(1);
  });

  it("a face fills a picture as its mask does, also where it reaches beyond the picture", () => {
    const random = new Random(new Uint8Array(16).fill(3));
    for (let n = 0; n < 60; n++) {
      const faces = wildLine(random);
      const [direct, masked] = [blank(), blank()];
      fillFaces(direct, faces, 0.2);
      fill(masked, maskOf(faces), 0.2);
      const off = Math.max(...direct.tones.map((tone, i) => Math.abs(tone - (masked.tones[i] ?? 0))));
      // A mask has single precision; a level is a thirty-second.
      expect(off, `line ${n}`).toBeLessThan(1e-6);
      expect(direct.tones.some((tone) => tone < 0.5)).toBe(true);
    }
  });

  it("a drawing leaves nothing behind for the next one", () => {
    const random = new Random(new Uint8Array(16).fill(4));
    const face = [solid([10, 10, 50, 12, 30, 44])];
    const alone = maskOf(face);
    for (let n = 0; n < 20; n++) {
      fillFaces(blank(), wildLine(random), 0);
      maskOf(wildLine(random));
      expect(maskOf(face)).toEqual(alone);
    }
  });

  it("a face outside of the picture draws nothing", () => {
    const canvas = blank();
    for (const [x, y] of [
      [-300, 10],
      [300, 10],
      [10, -300],
      [10, 300],
    ] as const)
      fillFaces(canvas, [solid(circle(x, y, 30))], 0);
    expect(canvas.tones.every((tone) => tone === 1)).toBe(true);
  });

  it("erosion shrinks a disc evenly on all sides", () => {
    const disc = maskOf([solid(circle(40, 40, 20))]);
    for (const pixels of [2, 3, 4, 5]) {
      const inside = eroded(disc, pixels);
      expect(covered(inside) / (Math.PI * (20 - pixels) ** 2)).toBeGreaterThan(0.9);
      expect(covered(inside) / (Math.PI * (20 - pixels) ** 2)).toBeLessThan(1.1);
      expect(inside.cover.every((share, i) => share <= (disc.cover[i] ?? 0))).toBe(true);
    }
  });
});
