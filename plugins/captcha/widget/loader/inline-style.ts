/** Styles are set through CSSOM, which no CSP forbids; each "important", so that the page's sheets change nothing. @param styles declarations, each ended by ";" */
export function applyStyle(element: HTMLElement, styles: string): void {
  element.style.cssText += styles.replace(/;/g, "!important;");
}

export const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif";

/** The browser's own colours, light or dark as asked for; what the loader draws is seen for moments only. */
export const scheme = (theme: "auto" | "light" | "dark" | ""): string =>
  `color-scheme:${theme === "light" || theme === "dark" ? theme : "light dark"};background:Canvas;color:CanvasText;`;

export const isCalm = (): boolean => matchMedia("(prefers-reduced-motion:reduce)").matches;

/** A frame of the service; it tells the service the page's origin and nothing more of its address. */
export function newFrame(title: string, styles: string, src: string): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.title = title;
  frame.referrerPolicy = "strict-origin";
  applyStyle(frame, `display:block;border:0;color-scheme:normal;${styles}`);
  frame.src = src;
  return frame;
}
