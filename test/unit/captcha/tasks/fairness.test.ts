import { describe, expect, it } from "vitest";
import { DARK, LIGHT } from "../../../../plugins/captcha/service/tasks/figures/drawing.js";
import { families } from "../../../../plugins/captcha/service/tasks/figures/families.js";
import { bodyOf, newLook } from "../../../../plugins/captcha/service/tasks/figures/figure.js";
import { Random } from "../../../../plugins/captcha/service/tasks/random.js";
import type { Mask } from "../../../../plugins/captcha/service/tasks/raster/mask.js";
import { LEVELS, palette } from "../../../../plugins/captcha/service/tasks/raster/palette.js";
import { drawAnswer, MIN_TURN } from "../../../../plugins/captcha/service/tasks/render.js";
import { POSITIONS, RADIUS as RING_RADIUS } from "../../../../plugins/captcha/service/tasks/rings/rings.js";
import { RADIUS as GRID_RADIUS } from "../../../../plugins/captcha/service/tasks/shapes/shapes.js";
import { TOLERANCE } from "../../../../plugins/captcha/service/tasks/tasks.js";

const seed = (n: number) => new Uint8Array(16).fill(n + 1);

/** Relative luminance of each level (WCAG 2.2). */
function luminances(n: number): number[] {
  const colours = palette(new Random(seed(n)));
  return Array.from({ length: LEVELS }, (_, level) => {
    const [r = 0, g = 0, b = 0] = [...colours.subarray(level * 3, level * 3 + 3)].map((byte) => {
      const share = byte / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
}

/** Longest distance across the covered pixels, in any of sixteen directions. */
function lengthOf({ width, cover }: Mask): number {
  const lengths = Array.from({ length: 16 }, (_, direction) => {
    const [cos, sin] = [Math.cos((direction * Math.PI) / 16), Math.sin((direction * Math.PI) / 16)];
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [i, share] of cover.entries()) {
      if (share < 0.5) continue;
      const at = (i % width) * cos + Math.floor(i / width) * sin;
      [from, to] = [Math.min(from, at), Math.max(to, at)];
    }
    return to - from + 1;
  });
  return Math.max(...lengths);
}

describe("readability of pictures", () => {
  it("[T2] counts of a family differ at a glance: they are up to five, or half more than the previous one", () => {
    for (const { name, counts } of families()) {
      expect(new Set(counts).size, name).toBe(4);
      for (const [i, count] of counts.entries()) {
        const before = counts[i - 1];
        if (before === undefined) continue;
        expect(count <= 5 ? count > before : count >= before * 1.5, `${name} ${before} ${count}`).toBe(true);
      }
    }
  });

  it("[T2] figures of rings are at least 15 pixels long, those of a grid 27", () => {
    for (const family of families())
      for (const count of family.counts)
        for (let n = 0; n < 6; n++) {
          const look = newLook({ family, count }, new Random(seed(n)));
          const longest = (radius: number) => lengthOf(bodyOf(look, { x: 0, y: 0, radius }));
          if (!family.fine)
            expect(longest(RING_RADIUS * 0.97), `${family.name} ${count}`).toBeGreaterThanOrEqual(15);
          expect(longest(GRID_RADIUS * 0.8), `${family.name} ${count}`).toBeGreaterThanOrEqual(27);
        }
  });

  it("[T2] an answer has at most five parts, and a ring may be off by four key presses and is never right at first", () => {
    const most = ([0, 1, 2] as const).flatMap((level) =>
      (["shapes", "rings"] as const).map((type) => {
        const answer = drawAnswer(type, level);
        return "cells" in answer ? answer.cells.length : "angles" in answer ? answer.angles.length : 0;
      }),
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(5);
    expect(TOLERANCE).toBeGreaterThanOrEqual(4 * 5);
    expect(MIN_TURN).toBeGreaterThan(TOLERANCE);
    // Two adjacent places are never both right.
    expect(360 / POSITIONS).toBeGreaterThan(2 * TOLERANCE + 6);
  });

  it("[T3] luminance alone orders all tones in every palette, and lines have a contrast of 3:1 to their ground", () => {
    for (let n = 0; n < 40; n++) {
      const all = luminances(n);
      for (const [level, value] of all.entries()) expect(value).toBeGreaterThan(all[level - 1] ?? -1);
      const dark = all[Math.ceil(DARK[1] * (LEVELS - 1))] ?? 1;
      const light = all[Math.floor(LIGHT[0] * (LEVELS - 1)) - 1] ?? 0;
      expect((light + 0.05) / (dark + 0.05)).toBeGreaterThan(3);
    }
  });
});
