import { element } from "../shared/page.js";
import { answerField, type TaskForm, type TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

/** V3: an alternative, never the only way (WCAG 3.3.8). */
export function textForm(material: TaskMaterial): TaskForm {
  const { language, task, parts } = material;
  const field = answerField(material, { autocapitalize: "characters", autocorrect: "off" });
  return {
    title: "textTitle",
    hint: taskText("textHint", language, { n: task.count }),
    body: element(
      "div",
      { class: "typing" },
      element("img", {
        class: "letters",
        src: parts.get("text") ?? "",
        alt: taskText("letters", language),
        width: "240",
        height: "88",
      }),
      element("label", { for: "answer" }, taskText("lettersField", language)),
      field,
    ),
    isBegun: () => field.value.trim() !== "",
    reply: () => {
      const text = field.value.trim();
      return text === "" ? { missing: taskText("typeMore", language) } : { reply: { text } };
    },
  };
}
