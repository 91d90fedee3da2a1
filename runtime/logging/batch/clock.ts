/** Clock and timers of a batch processor; tests replace it. */
export interface Clock {
  /** Monotonic time in ms. */
  now(): number;
  /** Runs `action` once after `ms` and returns its cancellation. Only `hold` keeps the process alive. */
  after(ms: number, action: () => void, hold?: boolean): () => void;
}

/** Resolves when the work has succeeded or failed, at the latest after `ms`. */
export function waitWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve, true);
    const settled = () => {
      cancel();
      resolve();
    };
    work.then(settled, settled);
  });
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, action, hold = false) {
    const timer = setTimeout(action, ms);
    if (!hold) timer.unref();
    return () => clearTimeout(timer);
  },
};
