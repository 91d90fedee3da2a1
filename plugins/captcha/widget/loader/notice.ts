import { applyStyle, FONT, SURFACE, scheme } from "./inline-style.js";

export interface NoticeOptions {
  text: string;
  theme: "auto" | "light" | "dark" | "";
  /** Width and minimum height, each ended by ";". */
  size: string;
  /** Undefined: there is no button. */
  retry?: { label: string; press: () => void };
}

/** Replaces a frame that cannot be shown. */
export function notice({ text, theme, size, retry }: NoticeOptions): HTMLElement {
  const box = document.createElement("div");
  box.setAttribute("role", "alert");
  applyStyle(
    box,
    `display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;box-sizing:border-box;${size}padding:10px 14px;border:1px solid GrayText;border-radius:12px;font:14px/1.35 ${FONT};${SURFACE}${scheme(theme)}`,
  );
  const words = document.createElement("span");
  words.textContent = text;
  applyStyle(words, "flex:1 1 130px;");
  box.append(words);
  if (retry !== undefined) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = retry.label;
    applyStyle(button, "min-height:44px;padding:0 14px;font:inherit;cursor:pointer;");
    button.addEventListener("click", retry.press);
    box.append(button);
  }
  return box;
}
