/** Milliseconds between two looks. */
const LOOK_MS = 20;

/**
 * Result of an exchange without a network: it takes milliseconds, and one that waits waits for what is not there. A process that gets
 * no processor does not look either, so a slow machine ends no exchange.
 * @throws Error when it takes longer
 */
export function withTimeout<T>(exchange: Promise<T>, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = Math.ceil(longestMs / LOOK_MS);
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      reject(new Error(`no whole answer within ${longestMs / 1_000} s: does the request end?`));
    }, LOOK_MS);
    exchange.then(resolve, reject).finally(() => clearInterval(timer));
  });
}
