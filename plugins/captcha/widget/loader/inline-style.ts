import type { WidgetOptions } from "./options.js";
import { loaderText } from "./texts.js";

/** Styles are set through CSSOM, which no CSP forbids; each "important", so that the page's sheets change nothing. @param styles declarations, each ended by ";" */
export function applyStyle(element: HTMLElement, styles: string): void {
  element.style.cssText += styles.replace(/;/g, "!important;");
}

export const FONT = "system-ui,sans-serif";

/**
 * Light, dark, or as the system has it. A frame stands in the scheme of the page in it: where the two differ, browsers paint what is
 * transparent there, its corners, with the frame's own background (CSS Color Adjustment section 2.3).
 */
export const scheme = (theme: WidgetOptions["theme"]): string =>
  `color-scheme:${theme === "light" || theme === "dark" ? theme : "light dark"};`;

/** The browser's own colours; what the loader draws is seen for moments only. */
export const SURFACE = "background:Canvas;color:CanvasText;";

export const isCalm = (): boolean => matchMedia("(prefers-reduced-motion:reduce)").matches;

/** A frame of the service; it tells the service the page's origin and nothing more of its address. */
export function newFrame(
  { language, theme }: Pick<WidgetOptions, "language" | "theme">,
  styles: string,
  src: string,
): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = loaderText("title", language);
  frame.referrerPolicy = "strict-origin";
  applyStyle(frame, `display:block;border:0;${styles}${scheme(theme)}`);
  frame.src = src;
  return frame;
}
