const IS_FULL = process.env["GWC_RUNS"] === "full";

/**
 * Number of cases of a property: a fourth in `npm test`, all in `npm run test:long`, whose projects set
 * GWC_RUNS=full.
 */
export const runs = (all: number): number => (IS_FULL ? all : Math.ceil(all / 4));

/** Values for a property: only the first in `npm test`, all in `npm run test:long`. */
export const few = <T>(all: readonly T[]): readonly T[] => (IS_FULL ? all : all.slice(0, 1));
