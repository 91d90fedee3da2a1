import { describe, expect, it } from "vitest";
import { drawLook } from "../../plugins/captcha/service/tasks/figures/drawing.js";
import { families } from "../../plugins/captcha/service/tasks/figures/families.js";
import { type Figure, type Look, newLook } from "../../plugins/captcha/service/tasks/figures/figure.js";
import { ground } from "../../plugins/captcha/service/tasks/figures/ground.js";
import { Random } from "../../plugins/captcha/service/tasks/random.js";
import { quantised, SCALE } from "../../plugins/captcha/service/tasks/raster/png.js";
import { assigned, type Seen, seen, table } from "./compare.js";
import type { Tones } from "./picture.js";
import { bestOf, type PictureType, ratesOf } from "./rates.js";

/** The tasks and so the rates are the same in each run: no test fails by chance. */
const IS_LONG = process.env["GWC_ATTACK"] === "long";
const TASKS = IS_LONG ? 400 : 12;

/** Greatest share of solved tasks. */
const BOUNDS: readonly (readonly [type: PictureType, level: 1 | 2, share: number])[] = [
  ["shapes", 1, 0.03],
  ["shapes", 2, 0.01],
  ["rings", 1, 0.03],
  ["rings", 2, 0.01],
];

describe("programs that were written to solve the pictures", () => {
  it.each(BOUNDS)(
    "[T1] solvers of %s at level %i solve at most a share of %d of all tasks with their best strategy",
    {
      timeout: 3_600_000,
    },
    (type, level, share) => {
      const rate = ratesOf(type, level, TASKS);
      const best = bestOf(rate);
      expect(rate.right[best], best).toBeLessThanOrEqual(Math.ceil(TASKS * share));
      // Few tasks have little weight; single picks and rings are several times as many, and all of a task
      // must be right.
      const parts = { shapes: [3, 5, 5], rings: [4, 5, 5] }[type][level] ?? 0;
      const most = Math.max(...Object.values(rate.parts));
      expect(most ** parts).toBeLessThanOrEqual(share);
    },
  );

  it("the solvers recognise more than 60 % of plain drawings in one style", () => {
    const random = new Random(new Uint8Array(16).fill(5));
    let [right, all] = [0, 0];
    for (let field = 0; field < 6; field++) {
      const forms = random
        .shuffled(families())
        .slice(0, 3)
        .flatMap((family) => family.counts.map((count) => ({ family, count })));
      const plain = (): Seen[] => forms.map((form) => seen(drawnPlainly(form, random)));
      const found = assigned(table("ink", plain(), plain()));
      right += found.filter((cell, sample) => cell === sample).length;
      all += found.length;
    }
    expect(right / all).toBeGreaterThan(0.6);
  });
});

function drawnPlainly(figure: Figure, random: Random): Tones {
  const side = 160;
  const canvas = ground(side, side, random);
  const look: Look = { ...newLook(figure, random), style: "filled" };
  drawLook(canvas, look, { x: side / 2, y: side / 2, radius: 56 }, random, SCALE);
  return { width: side, height: side, tones: quantised(canvas, random, 0.5) };
}
