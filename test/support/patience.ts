/**
 * Longest wait for an expected event, in ms. It finds hangs and measures no speed: a busy machine may take a
 * hundred times as long as an idle one. CPU time stolen from a virtual machine shows in no load average.
 */
export const PATIENCE_MS = 120_000;

/**
 * Polls every 25 ms.
 * @returns the first value of `probe` that is neither undefined nor false
 * @throws Error if there was none within `ms`
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  ms = PATIENCE_MS,
): Promise<Exclude<T, undefined | false>> {
  for (const end = Date.now() + ms; ; ) {
    const found = await probe();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${probe}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
