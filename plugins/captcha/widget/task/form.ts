import type { TaskReply, TaskShown } from "../../service/protocol.js";
import type { Language } from "../shared/language.js";
import { element } from "../shared/page.js";
import type { TaskText } from "./texts.js";

export interface TaskMaterial {
  language: Language;
  task: TaskShown;
  /** Object URL by name. */
  parts: ReadonlyMap<string, string>;
  /** `what`: see Trail. */
  step(event: Event, what?: string): void;
  /** Announces a text to assistive technology. */
  say(words: string): void;
  /** Called after a pick, turn, letter or undo. */
  changed(): void;
}

export interface TaskForm {
  title: TaskText;
  hint: string;
  body: HTMLElement;
  /** True also for an incomplete answer. */
  isBegun(): boolean;
  /** The answer, or a text about its missing part. */
  reply(): { reply: TaskReply } | { missing: string };
  /** Called when the form is removed. */
  stop?(): void;
}

/** Field for a typed answer; each letter is a step. */
export function answerField(
  { step, changed }: TaskMaterial,
  attributes: Readonly<Record<string, string>>,
): HTMLInputElement {
  const field = element("input", {
    type: "text",
    id: "answer",
    class: "typed",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: "24",
    "aria-describedby": "hint",
    ...attributes,
  });
  field.addEventListener("input", (event) => {
    step(event);
    changed();
  });
  return field;
}
