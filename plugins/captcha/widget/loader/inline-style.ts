import type { WidgetOptions } from "./options.js";
import { loaderText } from "./texts.js";

/**
 * Uses CSSOM, which no CSP forbids; each style is "important", so that the page's sheets have no effect.
 * @param styles declarations, each ended by ";"
 */
export function applyStyle(element: HTMLElement, styles: string): void {
  element.style.cssText += styles.replace(/;/g, "!important;");
}

export const FONT = "system-ui,sans-serif";

/**
 * Value for `color-scheme`: must equal the scheme of the frame's page. Otherwise browsers paint transparent
 * parts, its corners, with the frame's own background (CSS Color Adjustment section 2.3).
 */
export const scheme = (theme: WidgetOptions["theme"]): string =>
  `color-scheme:${theme === "light" || theme === "dark" ? theme : "light dark"};`;

/** Browser's own colours; the loader's drawings are only visible for moments. */
export const SURFACE = "background:Canvas;color:CanvasText;";

export const isCalm = (): boolean => matchMedia("(prefers-reduced-motion:reduce)").matches;

/** The service receives the page's origin and no other part of its address. */
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
