/**
 * Whose generated code the main thread runs now, in memory that the watchdog's thread reads when the beats stop. Only what
 * stands here is blamed for a stall: the route that was matched last may be another one's victim.
 */
export const executionMarker = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

const ROUTE = 0;
const PART = 1;
/** No code of a configuration runs, or that of a request without a route. */
const NO_ROUTE = -1;

/** What of the configuration runs; the code of the n-th global rule is `rule + n`. */
export const CodeKind = { none: 0, condition: 1, phase: 2, filter: 3, decoding: 4, rule: 16 } as const;

executionMarker[ROUTE] = NO_ROUTE;

/** Stands for a route's id in memory of numbers: FNV-1a, 31 bits, so that two of 20,000 routes are taken for each other once in 100,000 stalls. */
export function routeNumber(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  return hash >>> 1;
}

/** @param route undefined for a request that has none */
export function markRunning(route: { readonly number: number } | undefined, part: number): void {
  executionMarker[ROUTE] = route === undefined ? NO_ROUTE : route.number;
  executionMarker[PART] = part;
}

/** The code has come back. */
export function clearRunning(): void {
  executionMarker[ROUTE] = NO_ROUTE;
  executionMarker[PART] = CodeKind.none;
}

/** What a watchdog found in the memory of `running`. */
export interface StallSource {
  /** `routeNumber` of the route, -1 for none. */
  routeNumber: number;
  /** One of `CodeKind`. */
  part: number;
}

export function readStallSource(memory: SharedArrayBuffer): StallSource {
  const cells = new Int32Array(memory);
  return { routeNumber: Atomics.load(cells, ROUTE), part: Atomics.load(cells, PART) };
}

/**
 * Routes that are answered 503 for a while because their code has held a worker's main thread for too long. They belong to the
 * process: each of its requests is one that could hold it again.
 */
const held = new Map<string, NodeJS.Timeout>();

/** Lets the routes rest for `ms`; 0 ends the rest at once. */
export function quarantineRoute(id: string, ms: number): void {
  clearTimeout(held.get(id));
  held.delete(id);
  if (ms > 0) held.set(id, setTimeout(() => held.delete(id), ms).unref());
}

/** Ends the rest of all routes at once. */
export function releaseRoutes(): void {
  for (const id of [...held.keys()]) quarantineRoute(id, 0);
}

export function isQuarantined(id: string): boolean {
  return held.size !== 0 && held.has(id);
}
