const IS_FULL = process.env["GWC_RUNS"] === "full";

/** Cases of a property: a fourth of them in `npm test`, all in `npm run test:long`, whose projects set GWC_RUNS=full. */
export const runs = (all: number): number => (IS_FULL ? all : Math.ceil(all / 4));
