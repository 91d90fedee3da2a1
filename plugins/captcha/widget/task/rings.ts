import { button, element } from "../shared/page.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

/** Degrees per arrow key or button press: less than the tolerance of a ring. */
const STEP = 5;
const PRESS = 15;

/** V2: a native slider and buttons do the same as a drag, which is not required (WCAG 2.5.7). */
export function ringsForm(material: TaskMaterial): TaskForm {
  const { language, task } = material;
  const rings = Array.from({ length: task.count }, (_, i) => new Ring(i + 1, material));
  return {
    title: "ringsTitle",
    hint: taskText("ringsHint", language),
    body: element(
      "div",
      { class: `rings of-${task.count}`, role: "group", "aria-label": taskText("rings", language) },
      ...rings.map(({ body }) => body),
    ),
    isBegun: () => rings.some(({ isTurned }) => isTurned),
    reply: () =>
      rings.some(({ isTurned }) => isTurned)
        ? { reply: { angles: rings.map(({ angle }) => angle) } }
        : { missing: taskText("turnMore", language) },
  };
}

/** Degrees from 0, in steps of the slider. */
const rounded = (angle: number): number => (Math.round((((angle % 360) + 360) % 360) / STEP) * STEP) % 360;

class Ring {
  readonly body: HTMLElement;
  /** The visitor turned it, even back to its start. */
  isTurned = false;
  readonly #name: string;
  readonly #material: TaskMaterial;
  readonly #image: HTMLImageElement;
  readonly #face: HTMLElement;
  readonly #slider: HTMLInputElement;
  /** Direction of the pointer from the middle, and the ring's angle, at the start of a drag. */
  #held: { from: number; angle: number } | undefined;

  constructor(number: number, material: TaskMaterial) {
    this.#name = `ring${number}`;
    this.#material = material;
    const { parts, language } = material;
    const label = taskText("ring", language, { n: number });
    this.#image = element("img", { src: parts.get(this.#name) ?? "", alt: "", draggable: "false" });
    this.#face = element("div", { class: "face" }, this.#image, element("span", { class: "mark" }));
    const range = { min: "0", max: String(360 - STEP), step: String(STEP), value: "0" };
    this.#slider = element("input", { type: "range", id: this.#name, ...range });
    this.#slider.addEventListener("input", (event) => this.#turn(event, this.angle));
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const)
      this.#face.addEventListener(type, (event) => this.#drag(event));
    this.body = element(
      "div",
      { class: "ring" },
      element("label", { for: this.#name }, label),
      this.#slider,
      this.#face,
      this.#button("less", -PRESS, "↺", label),
      this.#button("more", PRESS, "↻", label),
    );
    this.#show();
  }

  get angle(): number {
    return this.#slider.valueAsNumber;
  }

  #button(which: "less" | "more", by: number, sign: string, ring: string): HTMLButtonElement {
    const words = taskText(which, this.#material.language, { ring, n: PRESS });
    const press = (event: Event) => this.#turn(event, this.angle + by);
    return button({ class: "turn", "aria-label": words }, press, sign);
  }

  #drag(event: PointerEvent): void {
    const { left, top, width, height } = this.#face.getBoundingClientRect();
    const [x, y] = [event.clientX - left - width / 2, event.clientY - top - height / 2];
    const at = (Math.atan2(y, x) * 180) / Math.PI;
    if (event.type === "pointerdown" && event.button === 0) {
      this.#face.setPointerCapture(event.pointerId);
      this.#held = { from: at, angle: this.angle };
      this.#slider.focus({ preventScroll: true });
      event.preventDefault();
    } else if (this.#held !== undefined && event.type !== "pointerdown") {
      const angle = this.#held.angle + at - this.#held.from;
      // A busy browser may omit the last moves: a ring stays where it is released.
      const isPassed = event.type === "pointerup" && rounded(angle) !== this.angle;
      if (event.type === "pointermove" || isPassed) this.#turn(event, angle);
      if (event.type !== "pointermove") this.#held = undefined;
    }
    this.#face.classList.toggle("held", this.#held !== undefined);
  }

  /** Wraps around: a slider alone would stop at its ends. */
  #turn(event: Event, angle: number): void {
    this.#material.step(event, this.#name);
    this.isTurned = true;
    this.#slider.valueAsNumber = rounded(angle);
    this.#show();
    this.#material.changed();
  }

  #show(): void {
    this.#image.style.transform = `rotate(${this.angle}deg)`;
    const words = taskText("degrees", this.#material.language, { n: this.angle });
    this.#slider.setAttribute("aria-valuetext", words);
  }
}
