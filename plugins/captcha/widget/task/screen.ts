import type { TaskType, Way } from "../../captcha-table.js";
import type { TaskReply, TaskShown, TaskTrail } from "../../service/protocol.js";
import type { FrameConfiguration } from "../shared/configuration.js";
import { faultOf } from "../shared/faults.js";
import type { CloseReason, WidgetFault } from "../shared/messages.js";
import { button, element, icon, say } from "../shared/page.js";
import { audioForm } from "./audio.js";
import type { Scarce, TaskScreen } from "./flow.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import type { PatienceProgress } from "./patience.js";
import { PatienceBar } from "./patience-bar.js";
import { PointerSource } from "./pointer-source.js";
import { ringsForm } from "./rings.js";
import { shapesForm } from "./shapes.js";
import { textForm } from "./text.js";
import { type TaskText, taskText } from "./texts.js";
import { Trail } from "./trail.js";

const FORMS: Record<TaskType, (material: TaskMaterial) => TaskForm> = {
  shapes: shapesForm,
  rings: ringsForm,
  text: textForm,
  audio: audioForm,
};
const ICONS = {
  text: "M5 5h14v3h-1.6l-.6-1.2H13v10.4l1.8.5V19H9.2v-1.3l1.8-.5V6.8H7.2L6.600 8H5Z",
  audio: "M4 9v6h4l5 5V4L8 9Zm11-.6v7.2a4 4 0 0 0 0-7.2Zm0-4.1v2a6 6 0 0 1 0 11.400v2a8 8 0 0 0 0-15.400Z",
  picture: "M4 5h16v14H4Zm2 11h12l-4-5.300-3 4-2-2.500Zm2.500-6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z",
  patience: "M6 2h12v4l-4.500 6 4.500 6v4H6v-4l4.500-6L6 6Zm2 2v1.500l4 5.300 4-5.300V4Z",
  another: "M12 5a7 7 0 0 1 6.300 4H16v2h6V5h-2v2.600A9 9 0 1 0 21 13h-2.100A7 7 0 1 1 12 5Z",
  close:
    "m6.400 5 5.600 5.600L17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400-5.600-5.600L6.400 19 5 17.600 10.600 12 5 6.400Z",
} as const;

/** Visitor's actions outside of the task's form. */
export interface ScreenEvents {
  submit(reply: TaskReply, trail: TaskTrail): void;
  another(type?: TaskType): void;
  patience(trail: TaskTrail): void;
  close(reason: CloseReason): void;
  fault(fault: WidgetFault): void;
  resized(height: number): void;
}

/** Heading, the task, other ways, submit, close, in this order for the keyboard. */
export class Screen implements TaskScreen {
  readonly #configuration: FrameConfiguration;
  readonly #events: ScreenEvents;
  readonly #pointers = new PointerSource();
  readonly #main = element("main", { class: "task", "aria-busy": "true" });
  readonly #heading = element("h1", { tabindex: "-1" });
  readonly #hint = element("p", { class: "hint", id: "hint" });
  readonly #notice = element("p", { class: "notice" });
  readonly #timer = element("p", { class: "timer" });
  readonly #stage = element("div", { class: "work" });
  readonly #ways = element("div", { class: "ways", role: "group" });
  readonly #submit: HTMLButtonElement;
  readonly #region = element("div", { class: "said", role: "status" });
  #form: TaskForm | undefined;
  /** The end of this task's time was announced. */
  #warned = false;
  #trail: Trail | undefined;
  #bar: PatienceBar | undefined;
  /** Last task's choices. */
  #offered: Pick<TaskShown, "types" | "patience_ms"> = { types: [] };

  constructor(configuration: FrameConfiguration, events: ScreenEvents) {
    this.#configuration = configuration;
    this.#events = events;
    this.#submit = element("button", { type: "submit", class: "submit" }, this.#text("submit"));
    const leave = { class: "close", "aria-label": this.#text("close") };
    const close = button(leave, () => events.close("button"), icon(ICONS.close, 20));
    const form = element("form", { novalidate: "" }, this.#stage, this.#ways, this.#submit);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#ways.setAttribute("aria-label", this.#text("instead"));
    const ribbon = configuration.test ? element("span", { class: "ribbon" }, this.#text("test")) : undefined;
    this.#main.append(
      element("header", {}, this.#heading, ...(ribbon ? [ribbon] : []), this.#hint),
      this.#notice,
      form,
      this.#timer,
      close,
      this.#region,
    );
    document.body.append(this.#main);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") events.close("esc");
      if (event.key === "Tab") this.#goRound(event);
    });
    new ResizeObserver(() => this.#measure()).observe(this.#main);
    addEventListener("resize", () => this.#measure());
    this.busy("loading");
  }

  #text(name: TaskText, values: Readonly<Record<string, string | number>> = {}): string {
    return taskText(name, this.#configuration.language, values);
  }

  #way(name: "text" | "audio" | "picture" | "patience" | "another", press: (event: Event) => void) {
    return button({ class: "way" }, press, icon(ICONS[name], 20), this.#text(name));
  }

  /** Wraps the focus: Chromium's Tab leads from a modal dialog's frame into frames behind it. */
  #goRound(event: KeyboardEvent): void {
    const controls = [...this.#main.querySelectorAll<HTMLElement>("button:enabled, input")].filter(
      ({ tabIndex, offsetParent }) => tabIndex >= 0 && offsetParent !== null,
    );
    const [first, last] = [controls[0], controls.at(-1)];
    const at = document.activeElement;
    const to = event.shiftKey
      ? at === first || at === this.#heading
        ? last
        : undefined
      : at === last
        ? first
        : undefined;
    if (to === undefined) return;
    event.preventDefault();
    to.focus();
  }

  /**
   * Measures without a scrollbar: that of a frame which is still too low makes the task narrower and so
   * changes its height. Browsers keep it as long as the narrower task does not fit.
   */
  #measure(): void {
    const { style } = document.documentElement;
    style.overflow = "hidden";
    const { height } = this.#main.getBoundingClientRect();
    style.overflow = "";
    this.#events.resized(height);
  }

  busy(why: "loading" | "working" | "checking"): void {
    this.#main.setAttribute("aria-busy", "true");
    this.#notice.textContent = "";
    this.#timer.textContent = "";
    this.#tell(this.#text(why));
    this.#heading.textContent ||= this.#text(why);
    if (why !== "checking") this.#blank(this.#text(why));
    else this.#disable(true);
  }

  wait(seconds: number): void {
    const words = this.#text("wait", { n: seconds });
    const [last] = this.#stage.getElementsByClassName("pause");
    if (last === undefined || this.#stage.dataset["wait"] === undefined) {
      this.#blank(words);
      this.#tell(words);
      this.#stage.dataset["wait"] = "";
    } else if (last.lastChild) last.lastChild.textContent = words;
  }

  show(
    task: TaskShown,
    parts: ReadonlyMap<string, string>,
    why: "first" | "wrong" | "late" | "chosen",
  ): void {
    const trail = new Trail(() => performance.now());
    const { language } = this.#configuration;
    this.#trail = trail;
    this.#warned = false;
    this.#pointers.moved = () => trail.moved();
    this.#form?.stop?.();
    this.#form = FORMS[task.type]({
      language,
      task,
      parts,
      step: (event, what) => trail.step(this.#pointers.kindOf(event), event.isTrusted, what),
      say: (words) => this.#tell(words),
      changed: () => this.#offer(),
    });
    this.#heading.textContent = this.#text(this.#form.title);
    this.#hint.textContent = this.#form.hint;
    this.#notice.textContent = why === "wrong" || why === "late" ? this.#text(why) : "";
    this.#notice.className = `notice ${why}`;
    this.#timer.textContent = "";
    delete this.#stage.dataset["wait"];
    this.#stage.replaceChildren(this.#form.body);
    this.#offered = task;
    this.#ways.replaceChildren(...this.#otherWays(task.type));
    this.#main.setAttribute("aria-busy", "false");
    this.#main.dataset["type"] = task.type;
    this.#disable(false);
    this.#offer();
    const title = `${this.#heading.textContent}. ${this.#form.hint}`;
    this.#tell(`${this.#notice.textContent} ${this.#text("newTask", { title })}`.trim());
    this.#heading.focus();
    this.#measure();
  }

  /** The other ways remain for visitors who prefer to solve something. */
  patience(progress: PatienceProgress): void {
    if (this.#bar === undefined) {
      const bar = new PatienceBar(this.#configuration.language, (words) => this.#tell(words));
      this.#open(this.#text("patience"), this.#text("patienceHint", { n: progress.of }), "patience");
      this.#bar = bar;
      this.#stage.replaceChildren(bar.body);
      this.#heading.focus();
    }
    this.#bar.show(progress);
    this.#measure();
  }

  usedUp(way: Scarce, ms: number, retry: () => void): void {
    const n = Math.max(1, Math.ceil(ms / 60_000));
    this.#open(this.#text("notNow"), this.#text(way === "audio" ? "audioUsed" : "patienceUsed", { n }), way);
    this.#stage.replaceChildren(
      element("div", { class: "again" }, button({ class: "retry" }, retry, this.#text("retry"))),
    );
    this.#heading.focus();
    this.#measure();
  }

  /** Page without a task: nothing to send, the other ways below. */
  #open(heading: string, hint: string, way: Way): void {
    this.#blank(heading);
    this.#heading.textContent = heading;
    this.#hint.textContent = hint;
    this.#notice.textContent = "";
    this.#timer.textContent = "";
    delete this.#stage.dataset["wait"];
    this.#ways.replaceChildren(...this.#otherWays(way));
    this.#disable(false);
    this.#submit.hidden = true;
    this.#main.setAttribute("aria-busy", "false");
    this.#main.dataset["type"] = way;
    this.#tell(`${heading}. ${hint}`);
  }

  left(seconds: number): void {
    this.#timer.textContent = this.#text(seconds > 0 ? "left" : "over", { n: seconds });
    // Timers of a hidden tab may miss the exact second.
    if (this.#warned) return;
    this.#warned = true;
    this.#tell(this.#text(seconds > 0 ? "leftSaid" : "over", { n: Math.ceil(seconds / 10) * 10 }));
  }

  fault(error: unknown, retry: () => void): void {
    const fault = faultOf(error, this.#configuration.language);
    this.#stop(fault.message, "", this.#text("retry"), retry);
    this.#events.fault(fault);
  }

  ended(): void {
    const again = () => this.#events.close("button");
    this.#main.dataset["type"] = "ended";
    this.#stop(this.#text("endedTitle"), this.#text("endedHint"), this.#text("startOver"), again);
  }

  #stop(title: string, hint: string, label: string, press: () => void): void {
    this.#main.setAttribute("aria-busy", "false");
    const again = button({ class: "retry" }, press, label);
    this.#form?.stop?.();
    this.#form = undefined;
    this.#heading.textContent = title;
    this.#hint.textContent = hint;
    this.#notice.textContent = "";
    this.#timer.textContent = "";
    this.#stage.replaceChildren(element("div", { class: "pause" }, again));
    this.#ways.replaceChildren();
    this.#submit.hidden = true;
    this.#tell(`${title} ${hint}`.trim());
    again.focus();
  }

  #tell(words: string): void {
    say(this.#region, words);
  }

  #blank(words: string): void {
    this.#form?.stop?.();
    this.#form = undefined;
    this.#bar = undefined;
    const wheel = element("span", { class: "wheel", "aria-hidden": "true" });
    this.#stage.replaceChildren(element("div", { class: "pause" }, wheel, element("p", {}, words)));
    this.#disable(true);
  }

  /** Not `disabled`, which would drop the focus to the page's start. */
  #disable(off: boolean): void {
    this.#submit.hidden = false;
    for (const button of [this.#submit, ...this.#ways.querySelectorAll("button")])
      button.setAttribute("aria-disabled", String(off));
  }

  /** "Check" for a started answer. If it is incomplete, a press names the missing part. */
  #offer(): void {
    this.#submit.setAttribute("aria-disabled", String(this.#form?.isBegun() !== true));
  }

  #otherWays(current: Way): HTMLButtonElement[] {
    const { types, patience_ms } = this.#offered;
    const picture = types.find((kind) => kind === "shapes" || kind === "rings");
    const isPicture = current === "shapes" || current === "rings";
    const ways: HTMLButtonElement[] = [];
    const add = (name: "text" | "audio" | "picture", wanted: TaskType): void => {
      ways.push(this.#way(name, () => this.#events.another(wanted)));
    };
    if (picture !== undefined && !isPicture) add("picture", picture);
    for (const kind of ["text", "audio"] as const)
      if (kind !== current && types.includes(kind)) add(kind, kind);
    if (patience_ms !== undefined && current !== "patience") ways.push(this.#withoutPuzzle());
    if (this.#form !== undefined) ways.push(this.#way("another", () => this.#events.another()));
    return ways;
  }

  /** Its press is recorded as a step of the current task. */
  #withoutPuzzle(): HTMLButtonElement {
    return this.#way("patience", (event) => {
      const trail = this.#trail ?? new Trail(() => performance.now());
      trail.step(this.#pointers.kindOf(event), event.isTrusted);
      this.#events.patience(trail.take());
    });
  }

  #send(): void {
    if (this.#form === undefined || this.#trail === undefined) return;
    const answer = this.#form.reply();
    if ("reply" in answer) {
      this.#events.submit(answer.reply, this.#trail.take());
      return;
    }
    this.#notice.textContent = answer.missing;
    this.#notice.className = "notice late";
    this.#tell(answer.missing);
  }
}
