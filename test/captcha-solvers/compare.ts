import { distances, FORMS } from "./exemplars.js";
import type { Tones } from "./picture.js";
import { distance, laidOver, type Print, printOf } from "./prints.js";
import { readings } from "./segments.js";

/** Features of one drawing. */
export interface Seen {
  prints: (Print | undefined)[];
  /** Probability of each form, by the program's own drawings. */
  chances: Float32Array;
}

export function seen(square: Tones): Seen {
  const prints = readings(square).map(printOf);
  return { prints, chances: chancesOf(prints) };
}

function chancesOf(prints: readonly (Print | undefined)[]): Float32Array {
  const apart = distances(prints);
  const least = Math.min(...apart);
  const weights = apart.map((d) => Math.exp((least - d) / SOFT));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}
/** Distance at which a form is e times less likely. */
const SOFT = 0.7;

/** Ways to compare a sample with a drawing; more alike is greater. */
export const STRATEGIES = {
  /** Dark pixels, at the best turn. */
  ink: (one: Seen, other: Seen) => best(one.prints.slice(0, 1), other.prints.slice(0, 1), laidOver),
  /** All readings of both, at the best turn. */
  readings: (one: Seen, other: Seen) => best(one.prints, other.prints, laidOver),
  /** Dark pixels without holes. */
  silhouette: (one: Seen, other: Seen) => best(one.prints.slice(1, 2), other.prints.slice(1, 2), laidOver),
  /** Features that a turn does not change. */
  turns: (one: Seen, other: Seen) => best(one.prints, other.prints, (a, b) => -distance(a.fixed, b.fixed)),
  /** Forms of the source code. */
  forms: (one: Seen, other: Seen) =>
    one.chances.reduce((sum, p, form) => sum + p * (other.chances[form] as number), 0),
} as const;
export type Strategy = keyof typeof STRATEGIES;

function best(
  some: readonly (Print | undefined)[],
  others: readonly (Print | undefined)[],
  measure: (one: Print, other: Print) => number,
): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const one of some)
    for (const other of others) if (one && other) most = Math.max(most, measure(one, other));
  return most === Number.NEGATIVE_INFINITY ? -99 : most;
}

/** Likeness of each sample to each cell, by a strategy. */
export const table = (strategy: Strategy, samples: readonly Seen[], cells: readonly Seen[]): number[][] =>
  samples.map((sample) => standard(cells.map((cell) => STRATEGIES[strategy](sample, cell))));

/** Normalizes to mean 0 and spread 1, so that tables of several strategies can be added. */
function standard(values: readonly number[]): number[] {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length) || 1;
  return values.map((value) => (value - mean) / spread);
}

/**
 * Likeness by forms, for a field that holds all counts of a few families, each form once: the families that
 * explain it best, and the form of each cell without repetition (rows and columns in turn made to sum up to
 * 1).
 */
export function tableOfWholeField(
  samples: readonly Seen[],
  cells: readonly Seen[],
  families: number,
): number[][] {
  const perFamily = 4;
  const count = FORMS.length / perFamily;
  const explained = (some: readonly number[]): number =>
    cells.reduce((sum, { chances }) => {
      const share = some.reduce((all, family) => all + sumOf(chances, family * perFamily, perFamily), 0);
      return sum + Math.log(share + 1e-4);
    }, 0);
  let [chosen, most] = [[] as number[], Number.NEGATIVE_INFINITY];
  for (const some of subsets(count, families)) {
    const score = explained(some);
    if (score > most) [chosen, most] = [some, score];
  }
  const forms = chosen.flatMap((family) =>
    Array.from({ length: perFamily }, (_, i) => family * perFamily + i),
  );
  const shares = cells.map(({ chances }) => forms.map((form) => (chances[form] as number) + 1e-4));
  for (let round = 0; round < 30; round++) {
    for (const row of shares)
      scale(
        row,
        row.reduce((a, b) => a + b, 0),
      );
    forms.forEach((_, f) => {
      const total = shares.reduce((sum, row) => sum + (row[f] as number), 0) || 1;
      for (const row of shares) row[f] = (row[f] as number) / total;
    });
  }
  return samples.map(({ chances }) =>
    standard(
      shares.map((row) =>
        row.reduce((sum, share, f) => sum + share * (chances[forms[f] as number] as number), 0),
      ),
    ),
  );
}

const sumOf = (values: Float32Array, from: number, count: number): number =>
  values.subarray(from, from + count).reduce((a, b) => a + b, 0);

function scale(row: number[], by: number): void {
  for (let i = 0; i < row.length; i++) row[i] = (row[i] as number) / (by || 1);
}

/** All choices of `some` out of 0..count-1. */
function subsets(count: number, some: number, from = 0): number[][] {
  if (some === 0) return [[]];
  return Array.from({ length: Math.max(0, count - from) }, (_, i) => from + i).flatMap((first) =>
    subsets(count, some - 1, first + 1).map((rest) => [first, ...rest]),
  );
}

export function added(tables: readonly number[][][]): number[][] {
  return (tables[0] ?? []).map((row, i) =>
    row.map((_, j) => tables.reduce((sum, t) => sum + (t[i]?.[j] ?? 0), 0)),
  );
}

/** A cell for each sample, none twice, the surest first. */
export function assigned(likeness: readonly (readonly number[])[]): number[] {
  const out = likeness.map(() => -1);
  const pairs = likeness
    .flatMap((row, sample) => row.map((value, cell) => ({ sample, cell, value })))
    .sort((a, b) => b.value - a.value);
  for (const { sample, cell } of pairs) if (out[sample] === -1 && !out.includes(cell)) out[sample] = cell;
  return out;
}
