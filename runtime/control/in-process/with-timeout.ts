/** Poll interval in ms. */
const LOOK_MS = 20;

/**
 * Limits an exchange without a network, which takes milliseconds unless it never ends. A starved process does
 * not poll either, so a slow machine aborts no exchange. @throws Error on a timeout
 */
export function withTimeout<T>(exchange: Promise<T>, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = Math.ceil(longestMs / LOOK_MS);
    const timer = setInterval(() => {
      if (--left > 0) return;
      clearInterval(timer);
      reject(new Error(`no complete response within ${longestMs / 1_000} s: does the request end?`));
    }, LOOK_MS);
    exchange.then(resolve, reject).finally(() => clearInterval(timer));
  });
}
