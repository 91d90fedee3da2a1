/**
 * Whose generated code the main thread runs now, in memory that the watchdog's thread reads when the beats stop. Only what
 * stands here is blamed for a stall: the route that was matched last may be another one's victim.
 */
export const running = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

const ROUTE = 0;
const PART = 1;
/** No code of a configuration runs, or that of a request without a route. */
const NO_ROUTE = -1;

/** What of the configuration runs; the code of the n-th global rule is `rule + n`. */
export const PART_OF = { none: 0, condition: 1, phase: 2, filter: 3, rule: 16 } as const;

running[ROUTE] = NO_ROUTE;

/** @param route its row, undefined for a request that has none */
export function runs(route: { readonly order: number } | undefined, part: number): void {
  running[ROUTE] = route === undefined ? NO_ROUTE : route.order;
  running[PART] = part;
}

/** The code has come back. */
export function rests(): void {
  running[ROUTE] = NO_ROUTE;
  running[PART] = PART_OF.none;
}

/** What a watchdog found in the memory of `running`. */
export interface Blame {
  /** `order` of the route, -1 for none. */
  routeOrder: number;
  /** One of `PART_OF`. */
  part: number;
}

export function blameIn(memory: SharedArrayBuffer): Blame {
  const cells = new Int32Array(memory);
  return { routeOrder: Atomics.load(cells, ROUTE), part: Atomics.load(cells, PART) };
}
