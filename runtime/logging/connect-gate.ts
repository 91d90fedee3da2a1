/** Minimum gap in ms between the first connections of two destinations. */
const GAP_MS = 20;
/** Maximum gap in ms while the process is busy. */
const MAX_GAP_MS = 1_000;

const waiting: (() => void)[] = [];
let running = false;

/**
 * Resolves when a destination may connect for the first time. Hundreds begin at the start of a gateway; each
 * blocks the process for some milliseconds (client, handshake, certificates), together for seconds. So they
 * begin one after the other, with gaps for requests; none waits for another to succeed.
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
    // The delay of this timer shows how busy the process is; the gap leaves as long to other work.
    const late = performance.now() - due;
    next(Math.min(MAX_GAP_MS, Math.max(GAP_MS, late * 2)));
  }, afterMs);
}
