import { type ReactNode, useDeferredValue } from "react";

/**
 * Secondary content of a page, rendered in a second frame. A page that is opened for the first time runs code
 * that the browser has not compiled yet; a third of it belongs to such content.
 */
export function AfterFirstFrame({ children }: { children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null;
}
