import { button, element, icon } from "../shared/page.js";
import { answerField, type TaskForm, type TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

const PLAY = "M7 4v16l13-8Z";

/** A1. Plays only on request, any number of times; any screen reader reads the instruction. */
export function audioForm(material: TaskMaterial): TaskForm {
  const { language, task, parts, say } = material;
  const sound = new Audio(parts.get("sound") ?? "");
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  const words = element("span", {}, taskText("play", language));
  const start = () => {
    sound.currentTime = 0;
    // The text changes after the sound, so that a screen reader does not talk into it.
    sound.play().catch(() => say(taskText("retry", language)));
  };
  const play = button({ class: "play" }, start, icon(PLAY, 22), words, bar);
  sound.addEventListener("timeupdate", () => {
    bar.style.width = `${(sound.currentTime / (sound.duration || 1)) * 100}%`;
  });
  sound.addEventListener("ended", () => {
    words.textContent = taskText("replay", language);
  });
  const field = answerField(material, { inputmode: "numeric" });
  return {
    title: "audioTitle",
    hint: taskText("audioHint", language, { n: task.count }),
    body: element(
      "div",
      { class: "typing" },
      play,
      element("label", { for: "answer" }, taskText("countField", language)),
      field,
    ),
    isBegun: () => /\d/.test(field.value),
    reply: () => {
      const text = field.value.trim();
      return text.replace(/\D/g, "").length < task.count
        ? { missing: taskText("countMore", language, { n: task.count }) }
        : { reply: { text } };
    },
    stop: () => sound.pause(),
  };
}
