import type { Language } from "../shared/language.js";
import { element } from "../shared/page.js";
import type { PatienceProgress } from "./patience.js";
import { taskText } from "./texts.js";

/** Seconds: often enough to show progress, rarely enough not to disturb. */
const SAID_EVERY = 10;

/** Updated each second, announced every ten. There is no time limit. */
export class PatienceBar {
  readonly body: HTMLElement;
  readonly #bar = element("progress", { max: "1", "aria-labelledby": "progress" });
  readonly #words = element("p", { id: "progress" });
  readonly #language: Language;
  readonly #say: (words: string) => void;
  /** Last announcement; the first one is the page's own. */
  #said = Number.POSITIVE_INFINITY;

  /** @param say announces a text to assistive technology */
  constructor(language: Language, say: (words: string) => void) {
    this.#language = language;
    this.#say = say;
    this.body = element("div", { class: "patience" }, this.#words, this.#bar);
  }

  show({ left, of, working }: PatienceProgress): void {
    const late = left === 0 && working;
    const words = taskText(late ? "patienceWorks" : "patienceLeft", this.#language, { n: left });
    this.#words.textContent = words;
    this.#bar.value = of === 0 ? 1 : 1 - left / of;
    const step = late ? -1 : Math.ceil(left / SAID_EVERY);
    if (step >= this.#said) return;
    if (this.#said !== Number.POSITIVE_INFINITY && (late || left > 0)) this.#say(words);
    this.#said = step;
  }
}
