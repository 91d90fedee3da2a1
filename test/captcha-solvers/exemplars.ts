import { createHash } from "node:crypto";
import { drawLook } from "../../plugins/captcha/service/tasks/figures/drawing.js";
import { families } from "../../plugins/captcha/service/tasks/figures/families.js";
import { newLook } from "../../plugins/captcha/service/tasks/figures/figure.js";
import { cut, ground, scratch } from "../../plugins/captcha/service/tasks/figures/ground.js";
import { Random } from "../../plugins/captcha/service/tasks/random.js";
import { quantised } from "../../plugins/captcha/service/tasks/raster/png.js";
import { distance, type Print, printOf } from "./prints.js";
import { readings } from "./segments.js";

/**
 * The program's own drawings of each form, since it has the source. Fewer in the short form: each takes 4 ms,
 * and more of them find more.
 */
const EACH = process.env["GWC_ATTACK"] === "long" ? 80 : 16;
const SIDE = 160;

interface Exemplar {
  form: number;
  prints: (Print | undefined)[];
}

export const FORMS = families().flatMap((family) => family.counts.map((count) => ({ family, count })));

let made: Exemplar[] | undefined;

/** Drawn and read as tasks are, with distractors, so that errors of reading are alike. */
function exemplars(): Exemplar[] {
  if (made !== undefined) return made;
  const random = new Random(createHash("sha256").update("exemplars").digest().subarray(0, 16));
  made = FORMS.flatMap(({ family, count }, form) =>
    Array.from({ length: EACH }, () => {
      const canvas = ground(SIDE, SIDE, random);
      const at = { x: SIDE / 2, y: SIDE / 2, radius: random.between(50, 64) };
      drawLook(canvas, newLook({ family, count }, random), at, random, 2);
      if (random.float() < 0.6) cut(canvas, random);
      if (random.float() < 0.7) scratch(canvas, random);
      const square = { width: SIDE, height: SIDE, tones: quantised(canvas, random, 0.5) };
      return { form, prints: readings(square).map(printOf) };
    }),
  );
  return made;
}

/** Distance of a drawing from the nearest three drawings of each form, over all its readings. */
export function distances(prints: readonly (Print | undefined)[]): Float32Array {
  const near = FORMS.map((): number[] => []);
  for (const { form, prints: others } of exemplars()) {
    const apart = prints.map((print, i) => {
      const other = others[i];
      if (print === undefined || other === undefined) return print === other ? 0 : MISSING;
      return distance(print.fixed, other.fixed);
    });
    near[form]?.push(apart.reduce((sum, d) => sum + Math.min(d, MISSING), 0));
  }
  return Float32Array.from(near, (all) => {
    all.sort((a, b) => a - b);
    return ((all[0] ?? 9) + (all[1] ?? 9) + (all[2] ?? 9)) / 3;
  });
}
/** Greatest distance between two readings. */
const MISSING = 6;
