const IS_FULL = process.env["GWC_RUNS"] === "full";

/** Cases of a property: a fourth of them in `npm test`, all in `npm run test:long`, whose projects set GWC_RUNS=full. */
export const runs = (all: number): number => (IS_FULL ? all : Math.ceil(all / 4));

/** Values that a property is tried with: the first of them in `npm test`, all in `npm run test:long`. */
export const few = <T>(all: readonly T[]): readonly T[] => (IS_FULL ? all : all.slice(0, 1));
