/**
 * Routes that are answered 503 for a while because their code has held a worker's main thread for too long. They belong to the
 * process: each of its requests is one that could hold it again.
 */
const held = new Map<string, NodeJS.Timeout>();

/** Lets the routes rest for `ms`; 0 ends the rest at once. */
export function holdRoute(id: string, ms: number): void {
  clearTimeout(held.get(id));
  held.delete(id);
  if (ms > 0) held.set(id, setTimeout(() => held.delete(id), ms).unref());
}

export function isHeld(id: string): boolean {
  return held.size !== 0 && held.has(id);
}
