/** Returns whole numbers from 0 to below its argument, which is at least 1. */
export type Random = (below: number) => number;

/** Yields the same numbers in every run for one seed (mulberry32), so that a failure is reproducible. */
export function numbers(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
