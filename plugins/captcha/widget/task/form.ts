import type { TaskReply, TaskShown } from "../../service/protocol.js";
import type { Language } from "../shared/language.js";
import type { TaskText } from "./texts.js";

/** Input for the form of a task. */
export interface TaskMaterial {
  language: Language;
  task: TaskShown;
  /** Object URL of each part by its name. */
  parts: ReadonlyMap<string, string>;
  /** Records a step. `what`: see Trail. */
  step(event: Event, what?: string): void;
  /** Announces a text to assistive technology. */
  say(words: string): void;
  /** Called after a pick, turn, letter or undo. */
  changed(): void;
}

/** Form of one type of task. */
export interface TaskForm {
  title: TaskText;
  hint: string;
  body: HTMLElement;
  /** Reports whether there is an answer to send, even if it is incomplete. */
  isBegun(): boolean;
  /** The answer, or a text about its missing part. */
  reply(): { reply: TaskReply } | { missing: string };
  /** Called when the form is removed. */
  stop?(): void;
}
