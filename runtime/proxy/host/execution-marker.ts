import { fnv1a } from "../../abi/hash.js";

/**
 * Generated code that the main thread executes, in memory that the watchdog thread reads after a missing
 * heartbeat. Only this code is blamed for a stall: the last matched route may be a victim of another one.
 */
export const executionMarker = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));

const ROUTE = 0;
const PART = 1;
/** No generated code, or that of a request without a route. */
const NO_ROUTE = -1;

/** Kind of code that executes; `rule + n`: global rule n. */
export const CodeKind = { none: 0, condition: 1, phase: 2, filter: 3, decoding: 4, rule: 16 } as const;

executionMarker[ROUTE] = NO_ROUTE;

/** Hashes a route id to a number: FNV-1a with 31 bits. Of 20,000 routes, two are confused once in 100,000 stalls. */
export const routeNumber = (id: string): number => fnv1a(id) >>> 1;

/** @param route undefined for a request without a route */
export function markRunning(route: { readonly number: number } | undefined, part: number): void {
  executionMarker[ROUTE] = route === undefined ? NO_ROUTE : route.number;
  executionMarker[PART] = part;
}

export function clearRunning(): void {
  executionMarker[ROUTE] = NO_ROUTE;
  executionMarker[PART] = CodeKind.none;
}

export interface StallSource {
  /** `routeNumber` of the route, -1 for none. */
  routeNumber: number;
  /** Value of `CodeKind`. */
  part: number;
}

export function readStallSource(memory: SharedArrayBuffer): StallSource {
  const cells = new Int32Array(memory);
  return { routeNumber: Atomics.load(cells, ROUTE), part: Atomics.load(cells, PART) };
}

/** Routes that get a 503 for a time because their code stalled a worker. By process, since each request could. */
const held = new Map<string, NodeJS.Timeout>();

/** Quarantines a route for `ms`; 0 ends its quarantine. */
export function quarantineRoute(id: string, ms: number): void {
  clearTimeout(held.get(id));
  held.delete(id);
  if (ms > 0) held.set(id, setTimeout(() => held.delete(id), ms).unref());
}

export function releaseRoutes(): void {
  for (const id of [...held.keys()]) quarantineRoute(id, 0);
}

export function isQuarantined(id: string): boolean {
  return held.size !== 0 && held.has(id);
}
