import { element } from "../shared/page.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

/** Degrees of a press on a button or an arrow key. */
const STEP = 2;
const LAST = 360 - STEP;

type RingName = "outer" | "inner";

/** V2: two rings around a core, turned by native sliders and by buttons, so that nothing has to be dragged (WCAG 2.5.7). */
export function ringsForm(material: TaskMaterial): TaskForm {
  const { language } = material;
  const rings = [ring("outer", material), ring("inner", material)];
  const stage = element(
    "div",
    { class: "stage", role: "img", "aria-label": taskText("rings", language) },
    ...rings.map(({ image }) => image),
    layer("core", material),
  );
  return {
    title: "ringsTitle",
    hint: taskText("ringsHint", language),
    body: element("div", { class: "rings" }, stage, ...rings.map(({ row }) => row)),
    reply: () => {
      const [outer, inner] = rings.map(({ slider }) => slider.valueAsNumber);
      return { reply: { angles: [outer ?? 0, inner ?? 0] } };
    },
  };
}

const layer = (name: string, { parts }: TaskMaterial): HTMLImageElement =>
  element("img", { class: `ring ${name}`, src: parts.get(name) ?? "", alt: "", draggable: "false" });

function ring(name: RingName, material: TaskMaterial) {
  const { language, step } = material;
  const image = layer(name, material);
  const label = taskText(name, language);
  const slider = element("input", {
    type: "range",
    id: `ring-${name}`,
    min: "0",
    max: String(LAST),
    step: String(STEP),
    value: "0",
  });
  const turned = (): void => {
    const angle = slider.valueAsNumber;
    image.style.transform = `rotate(${angle}deg)`;
    slider.setAttribute("aria-valuetext", taskText("degrees", language, { n: angle }));
  };
  slider.addEventListener("input", (event) => {
    step(event, name);
    turned();
  });
  const button = (which: "less" | "more", by: number, sign: string): HTMLButtonElement => {
    const words = taskText(which, language, { ring: label });
    const made = element("button", { type: "button", class: "turn", "aria-label": words }, sign);
    made.addEventListener("click", (event) => {
      step(event, name);
      // Round and round: a slider alone would end at its ends.
      slider.valueAsNumber = (slider.valueAsNumber + by + 360) % 360;
      turned();
    });
    return made;
  };
  turned();
  const track = element("div", { class: "track" }, element("label", { for: slider.id }, label), slider);
  const row = element(
    "div",
    { class: "turner" },
    button("less", -STEP, "−"),
    track,
    button("more", STEP, "+"),
  );
  return { slider, image, row };
}
