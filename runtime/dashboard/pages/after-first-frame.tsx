import { type ReactNode, useDeferredValue } from "react";

/**
 * What a page shows beside what it is opened for: it is made in a frame of its own. A page that is opened for the first time runs code that
 * the browser has not compiled yet, a third of it for such parts.
 */
export function AfterFirstFrame({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
