/** The page is inside a page of another origin. */
export function isFramed(): boolean {
  try {
    return !top?.document;
  } catch {
    return true;
  }
}

/**
 * Waits while the page is prerendered: until it is shown, browsers load no frames of other origins.
 * @returns function that cancels the call; undefined if the page is already shown
 */
export function whenShown(call: () => void): (() => void) | undefined {
  if (!("prerendering" in document) || document.prerendering !== true) return undefined;
  document.addEventListener("prerenderingchange", call);
  return () => document.removeEventListener("prerenderingchange", call);
}
