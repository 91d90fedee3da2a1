import { element, icon } from "../shared/page.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

const PLAY = "M7 4v16l13-8Z";

/** A1. Plays only on request, any number of times; any screen reader reads the instruction. */
export function audioForm({ language, task, parts, step, say, changed }: TaskMaterial): TaskForm {
  const sound = new Audio(parts.get("sound") ?? "");
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  const words = element("span", {}, taskText("play", language));
  const play = element("button", { type: "button", class: "play" }, icon(PLAY, 22), words, bar);
  play.addEventListener("click", () => {
    sound.currentTime = 0;
    // The text changes after the sound, so that a screen reader does not talk into it.
    sound.play().catch(() => say(taskText("retry", language)));
  });
  sound.addEventListener("timeupdate", () => {
    bar.style.width = `${(sound.currentTime / (sound.duration || 1)) * 100}%`;
  });
  sound.addEventListener("ended", () => {
    words.textContent = taskText("replay", language);
  });
  const field = element("input", {
    type: "text",
    id: "answer",
    class: "typed",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "24",
    "aria-describedby": "hint",
  });
  field.addEventListener("input", (event) => {
    step(event);
    changed();
  });
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
