import type { TaskReply, TaskShown } from "../../service/protocol.js";
import type { Language } from "../shared/language.js";
import type { TaskText } from "./texts.js";

/** What a kind of task is built with. */
export interface TaskMaterial {
  language: Language;
  task: TaskShown;
  /** Object URL of each part by its name. */
  parts: ReadonlyMap<string, string>;
  /** A step was made. `what`: see Trail. */
  step(event: Event, what?: string): void;
  /** To assistive technology. */
  say(words: string): void;
  /** Something was picked, turned or typed, or taken back. */
  changed(): void;
}

/** A kind of task on the screen. */
export interface TaskForm {
  title: TaskText;
  hint: string;
  body: HTMLElement;
  /** There is something that could be sent, even if it is not all. */
  isBegun(): boolean;
  /** The answer, or what is missing. */
  reply(): { reply: TaskReply } | { missing: string };
  /** It leaves the screen. */
  stop?(): void;
}
