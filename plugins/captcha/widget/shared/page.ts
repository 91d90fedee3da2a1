import type { FrameConfiguration } from "./configuration.js";

export function readConfiguration(): FrameConfiguration {
  return JSON.parse(document.getElementById("configuration")?.textContent ?? "{}") as FrameConfiguration;
}

type Child = Node | string | undefined;

/** Markup is never parsed. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const key in attributes) made.setAttribute(key, attributes[key] ?? "");
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(
  attributes: Readonly<Record<string, string>>,
  press: (event: MouseEvent) => void,
  ...children: Child[]
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", press);
  return made;
}

/** @returns function that cancels the call */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Announces a text to assistive technology, even if it equals the last one. */
export function say(region: HTMLElement, words: string): void {
  region.textContent = "";
  // For some screen readers, a region that is emptied and filled in one step has not changed.
  requestAnimationFrame(() => {
    region.textContent = words;
  });
}

/** Hidden from assistive technology. */
export function icon(path: string, size = 24): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 24 24`);
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const drawn = document.createElementNS(space, "path");
  drawn.setAttribute("d", path);
  svg.append(drawn);
  return svg;
}
