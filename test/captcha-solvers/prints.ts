import {
  ANGLES,
  laidOver as agreement,
  bits,
  RADII,
  rotate,
} from "../../plugins/captcha/service/tasks/figures/print.js";
import type { Bits } from "./segments.js";

const REACH = 2.2;

/** Cover by rings around the middle of the set pixels, as far as they reach. */
export interface Print {
  words: Int32Array;
  /** Numbers that a turn does not change. */
  fixed: Float32Array;
  /** Share of the set pixels in the square. */
  share: number;
}

/** @param offset part of a step by which all directions are turned */
export function printOf({ side, on }: Bits): Print | undefined {
  let [mass, mx, my, square] = [0, 0, 0, 0];
  for (let i = 0; i < on.length; i++) {
    if (!on[i]) continue;
    const [x, y] = [i % side, Math.floor(i / side)];
    mass++;
    mx += x;
    my += y;
    square += x * x + y * y;
  }
  if (mass < 60) return undefined;
  [mx, my] = [mx / mass, my / mass];
  const size = Math.sqrt(Math.max(1, square / mass - mx * mx - my * my)) * REACH;
  const words = new Int32Array(RADII);
  for (let r = 0; r < RADII; r++)
    for (let a = 0; a < ANGLES; a++) {
      const [radius, angle] = [((r + 0.5) / RADII) * size, (a / ANGLES) * Math.PI * 2];
      const [x, y] = [Math.round(mx + radius * Math.cos(angle)), Math.round(my + radius * Math.sin(angle))];
      if (x >= 0 && y >= 0 && x < side && y < side && on[y * side + x])
        words[r] = (words[r] as number) | (1 << a);
    }
  return { words, fixed: fixedOf(words), share: mass / on.length };
}

/** Cover, agreement with itself at each turn and changes of each ring; larger rings have more weight. */
function fixedOf(words: Int32Array): Float32Array {
  const per = ANGLES / 2 + 2;
  const out = new Float32Array(RADII * per);
  for (let r = 0; r < RADII; r++) {
    const word = words[r] as number;
    const weight = Math.sqrt(r + 1);
    for (let by = 0; by <= ANGLES / 2; by++) out[r * per + by] = bits(word & rotate(word, by)) * weight;
    out[r * per + per - 1] = bits(word ^ rotate(word, 1)) * weight * 2;
  }
  return out;
}

/** 0..1: agreement at the best turn. */
export function laidOver(one: Print, other: Print): number {
  return agreement(one.words, other.words) / ((ANGLES * RADII * (RADII + 1)) / 2);
}

export function distance(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] as number) - (other[i] as number));
  return sum / one.length;
}
