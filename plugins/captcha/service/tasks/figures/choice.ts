import type { Random } from "../random.js";
import { type Figure, type Look, newLook } from "./figure.js";
import { laidOver, type Print, printOf } from "./print.js";

const TRIES = 6;

export interface Drawn {
  look: Look;
  print: Print;
}

export function drawn(figure: Figure, random: Random, isSmall = false): Drawn {
  const look = newLook(figure, random, isSmall);
  return { look, print: printOf(look) };
}

/** Measures of programs, greater for greater similarity. */
const MEASURES: readonly ((one: Print, other: Print) => number)[] = [
  (one, other) => laidOver(one.ink, other.ink),
  (one, other) => laidOver(one.whole, other.whole),
  (one, other) => -unlike(one.fixed, other.fixed),
];

/**
 * Chooses a drawing so that, for a program that compares pixels, the rivals are as similar to the sample. By
 * each measure, all its ranks among them are about equally likely, as far as some tries achieve that. If the
 * drawing were merely never the first, programs would take the second.
 */
export function drawnAmong(
  figure: Figure,
  sample: Drawn,
  rivals: readonly Drawn[],
  random: Random,
  isSmall = false,
): Drawn {
  const measured = MEASURES.map((likeness) => ({
    likeness,
    rivals: rivals.map(({ print }) => likeness(sample.print, print)),
    target: random.integer(rivals.length + 1),
  }));
  const off = ({ print }: Drawn): number =>
    measured.reduce((sum, { likeness, rivals: theirs, target }) => {
      const own = likeness(sample.print, print);
      const rank = theirs.filter((other) => other > own).length;
      return sum + Math.abs(rank - target);
    }, 0);
  let best = drawn(figure, random, isSmall);
  let least = off(best);
  for (let i = 1; i < TRIES; i++) {
    const one = drawn(figure, random, isSmall);
    const far = off(one);
    if (far < least) [best, least] = [one, far];
  }
  return best;
}

function unlike(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += Math.abs((one[i] as number) - (other[i] as number));
  return sum;
}
