/** Milliseconds between the first connections of two destinations, at least. */
const GAP_MS = 20;
/** Longest time that one waits for a busy process. */
const MAX_GAP_MS = 1_000;

/** Those who wait, in order. */
const waiting: (() => void)[] = [];
let running = false;

/**
 * Resolves when it is this one's turn to connect for the first time. Hundreds of destinations begin at the same moment, when a
 * gateway has started; each costs some milliseconds of the process at once (a client, a handshake, its certificates), and
 * together seconds in which no request is served. So they begin one after the other, at a pace that leaves the process time
 * for its requests; none waits for another to succeed.
 */
export function connectTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!running) next(0);
  });
}

function next(afterMs: number): void {
  running = true;
  const due = performance.now() + afterMs;
  setTimeout(() => {
    const turn = waiting.shift();
    if (turn === undefined) {
      running = false;
      return;
    }
    turn();
    // As late as this timer was, so busy is the process: as long again is left to others.
    const late = performance.now() - due;
    next(Math.min(MAX_GAP_MS, Math.max(GAP_MS, late * 2)));
  }, afterMs);
}
