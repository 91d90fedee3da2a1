import type { CloseReason } from "../shared/messages.js";
import { applyStyle, FONT, isCalm, newFrame, SURFACE, scheme } from "./inline-style.js";
import type { WidgetOptions } from "./options.js";
import { loaderText } from "./texts.js";

/** Time in ms in which a press on the backdrop counts as the second half of a double tap. */
const DOUBLE_TAP = 600;
/** Time in ms until a further wish closes from here: responsive frames have closed, or wait for a response. */
const INSIST = 2_000;
/** Time in ms after which an unresponsive frame gets a close button outside of it. */
const SILENCE = 5_000;

/** Time in ms in which the open dialog is invisible: a fast pass does not flicker, a longer wait is explained. */
const UNSEEN = 300;

export interface ModalUser {
  readonly options: Pick<WidgetOptions, "language" | "theme">;
  /** The user decides when to close. */
  dismissed(reason: CloseReason): void;
  /** The dialog has closed, for any reason. */
  closed(): void;
}

/** One dialog, in the page's top layer: shown for one widget at a time, others wait for their turn (A77). */
export class Modal {
  #user: ModalUser | undefined;
  #dialog: HTMLDialogElement | undefined;
  #panel: HTMLElement | undefined;
  #close: HTMLElement | undefined;
  #spin: Animation | undefined;
  #frame: HTMLIFrameElement | undefined;
  #openedAt = 0;
  #isSeen = false;
  /** Element that had the focus. */
  #before: HTMLElement | null = null;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #sight: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<ModalUser, () => void>();

  /** Shows or queues; `shown` is called once the dialog is visible. */
  open(user: ModalUser, w: number, h: number, shown: () => void): void {
    if (this.#user !== undefined && this.#user !== user) {
      this.#waiting.set(user, () => this.open(user, w, h, shown));
      return;
    }
    if (this.#user === undefined) this.#show(user);
    this.resize(user, w, h);
    shown();
  }

  /** Replaces the text of the open dialog. */
  load(user: ModalUser, src: string, loaded: (frame: HTMLIFrameElement) => void): void {
    if (this.#user !== user || this.#panel === undefined) return;
    const frame = newFrame(user.options, "position:relative;width:100%;height:100%;", src);
    let isLoaded = false;
    frame.addEventListener("load", () => {
      // A second load: the page moved the dialog out of the top layer, which uses up the frame's address.
      if (isLoaded) this.close(user);
      else loaded(frame);
      isLoaded = true;
    });
    this.#frame?.remove();
    this.#frame = frame;
    this.#panel.append(frame);
    this.#reveal();
    if (this.#close !== undefined) applyStyle(this.#close, "visibility:hidden;");
    this.#silence = setTimeout(() => {
      if (this.#close !== undefined) applyStyle(this.#close, "visibility:visible;");
    }, SILENCE);
  }

  /** The frame responds: it has its own close button, and receives the focus. */
  reported(user: ModalUser): void {
    if (this.#user !== user) return;
    clearTimeout(this.#silence);
    if (this.#close !== undefined) applyStyle(this.#close, "display:none;");
    this.#frame?.focus();
  }

  resize(user: ModalUser, w: number, h: number): void {
    if (this.#user !== user || this.#panel === undefined) return;
    // A sheet that fills a window that is small or zoomed far in.
    const sheet = innerWidth < 440 && h > 300;
    applyStyle(
      this.#panel,
      sheet ? "width:100%;height:100%;border-radius:0;" : `width:${w}px;height:${h}px;border-radius:16px;`,
    );
  }

  /** Removes the user from the queue, too. */
  close(user: ModalUser): void {
    this.#waiting.delete(user);
    if (this.#user !== user) return;
    clearTimeout(this.#silence);
    clearTimeout(this.#sight);
    // An endless animation would keep its element for as long as the page lives.
    this.#spin?.cancel();
    const dialog = this.#dialog;
    this.#user = this.#dialog = this.#panel = this.#close = this.#frame = this.#spin = undefined;
    dialog?.remove();
    // HTML section 4.11.4 requires it of `close()`; Chromium does not if a frame of another process has the focus.
    this.#before?.focus();
    this.#before = null;
    user.closed();
    const next = this.#waiting.entries().next().value;
    if (next !== undefined) {
      this.#waiting.delete(next[0]);
      next[1]();
    }
  }

  #reveal(): void {
    clearTimeout(this.#sight);
    const dialog = this.#dialog;
    if (dialog === undefined || this.#isSeen) return;
    this.#isSeen = true;
    applyStyle(dialog, "opacity:1;");
    if (!isCalm()) dialog.animate({ opacity: [0, 1] }, 140);
  }

  /** Called after a change of the page, which may have removed the dialog or its content. */
  check(): void {
    if (this.#user !== undefined && !(this.#frame ?? this.#panel)?.isConnected) this.close(this.#user);
  }

  /** Nobody could close copies of the dialog from a cached page. */
  removeCopies(): void {
    for (const copy of document.querySelectorAll("dialog[data-sp-captcha]"))
      if (copy !== this.#dialog) copy.remove();
  }

  isOpenFor(user: ModalUser): boolean {
    return this.#user === user;
  }

  #show(user: ModalUser): void {
    const { language } = user.options;
    const dialog = document.createElement("dialog");
    // It fills the window and dims it; a press next to the panel is a press on the dialog.
    applyStyle(
      dialog,
      "position:fixed;inset:0;margin:0;padding:0;border:0;width:100%;height:100%;max-width:none;max-height:100dvh;display:flex;align-items:center;justify-content:center;background:rgb(10 16 32/55%);opacity:0;",
    );
    dialog.setAttribute("aria-label", loaderText("title", language));
    dialog.lang = language;
    dialog.dataset["spCaptcha"] = "";
    dialog.dir = "ltr";
    let patience = 0;
    const dismiss = (reason: CloseReason): void => {
      patience ||= performance.now() + INSIST;
      if (performance.now() > patience) this.close(user);
      else user.dismissed(reason);
    };
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      dismiss("esc");
    });
    // A second Esc closes by force in some browsers.
    dialog.addEventListener("close", () => {
      if (this.#dialog === dialog) this.close(user);
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && performance.now() - this.#openedAt > DOUBLE_TAP) dismiss("backdrop");
    });
    const { panel, close, spin } = panelOf(user.options, () => dismiss("button"));
    dialog.append(panel);
    this.#user = user;
    this.#dialog = dialog;
    this.#panel = panel;
    this.#close = close;
    this.#spin = spin;
    this.#openedAt = performance.now();
    (document.body ?? document.documentElement).append(dialog);
    this.#before = document.activeElement as HTMLElement | null;
    // Open from the tick on: the page behind is inert and Escape closes.
    dialog.showModal();
    this.#isSeen = false;
    this.#sight = setTimeout(() => this.#reveal(), UNSEEN);
  }
}

/** Text while the score is computed, and a close button. */
function panelOf(
  { language, theme }: ModalUser["options"],
  press: () => void,
): { panel: HTMLElement; close: HTMLElement; spin: Animation | undefined } {
  const panel = document.createElement("div");
  // The outline shows with forced colours, which remove shadow and backdrop.
  applyStyle(
    panel,
    `position:relative;overflow:hidden;max-width:100%;max-height:100%;outline:1px solid transparent;font:16px/1.4 ${FONT};box-shadow:0 16px 48px rgb(8 15 40/35%);${SURFACE}${scheme(theme)}`,
  );
  const words = document.createElement("div");
  words.setAttribute("role", "status");
  words.textContent = loaderText("checking", language);
  applyStyle(
    words,
    "position:absolute;inset:0;display:flex;align-items:center;justify-content:center;gap:12px;",
  );
  const wheel = document.createElement("span");
  applyStyle(
    wheel,
    `width:16px;height:16px;border:3px solid;border-top-color:transparent;border-radius:50%;`,
  );
  words.prepend(wheel);
  const spin = isCalm()
    ? undefined
    : wheel.animate({ transform: ["rotate(0)", "rotate(360deg)"] }, { duration: 900, iterations: 1 / 0 });
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", loaderText("close", language));
  applyStyle(
    close,
    `position:absolute;top:4px;right:4px;z-index:1;width:44px;height:44px;border:0;border-radius:10px;background:none;color:inherit;font:24px/1 ${FONT};cursor:pointer;`,
  );
  close.addEventListener("click", press);
  panel.append(close, words);
  return { panel, close, spin };
}
