/** Time as a batch sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Runs `action` once, `ms` from now; the answer cancels it. Keeps the process alive only with `hold`. */
  after(ms: number, action: () => void, hold?: boolean): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, action, hold = false) {
    const timer = setTimeout(action, ms);
    if (!hold) timer.unref();
    return () => clearTimeout(timer);
  },
};
