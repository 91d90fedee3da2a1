/** Reports whether the page stands in a page of another origin. */
export function isFramed(): boolean {
  try {
    return !top?.document;
  } catch {
    return true;
  }
}

/**
 * Calls once the page is shown, if it is prerendered: until then browsers load no frames of other origins.
 * @returns what takes the call back; undefined if the page is shown already
 */
export function whenShown(call: () => void): (() => void) | undefined {
  if (!("prerendering" in document) || document.prerendering !== true) return undefined;
  document.addEventListener("prerenderingchange", call);
  return () => document.removeEventListener("prerenderingchange", call);
}
