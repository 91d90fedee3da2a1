/**
 * What an exchange without a network comes to: it takes milliseconds, and one that waits waits for what is not there.
 * @throws Error when it takes longer
 */
export function inTime<T>(exchange: Promise<T>, longestMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new Error(`no whole answer within ${longestMs / 1_000} s: does the request end?`));
    const timer = setTimeout(late, longestMs);
    exchange.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
