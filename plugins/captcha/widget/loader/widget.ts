import type { WidgetError } from "../../service/protocol.js";
import { readFromBox } from "../shared/from-box.js";
import type { CloseReason, FromBox, InitMessage, ToBox } from "../shared/messages.js";
import { Announcer } from "./announce.js";
import { Execution, executionFault, isRetryable } from "./execution.js";
import { Expiry, type PageClock } from "./expiry.js";
import { applyStyle, newFrame, scheme } from "./inline-style.js";
import type { Modal, ModalUser } from "./modal.js";
import { notice } from "./notice.js";
import type { ReadOptions, WidgetOptions } from "./options.js";
import { isFramed, whenShown } from "./page-state.js";
import { Place } from "./place.js";
import { faultText, loaderText } from "./texts.js";

/** Timeouts in ms of the attempts to load the frame. */
const WAITS = [3_000, 6_000, 12_000];
/** Age in ms at which an unused frame is replaced, with its session and its script. */
const OLD = 12 * 3_600_000;

/**
 * Timeout in ms of a loaded frame's first message on a page inside another site. Browsers refuse a frame
 * there that the other site may not show, and load a page of their own in its place.
 */
const FRAMED = 2_000;

/** Maximum before the frame's first message: some extensions remove every drawing. */
const MAX_REDRAWS = 10;

/** Width of the container if there is a box. */
const SIZES = {
  normal: "width:100%;min-width:240px;max-width:400px;height:74px;",
  compact: "width:164px;max-width:100%;height:144px;",
  // In the window, since browsers delay frames outside of it. It has a size, since the session's program
  // needs a layout, but nobody sees or reaches it.
  invisible: "width:300px;height:74px;position:fixed;left:0;bottom:0;opacity:0;pointer-events:none;",
};

/** Replaces attributes. */
export type Settings = Readonly<Record<string, unknown>> | null | undefined;

/** Shared by all widgets of a page. */
export interface PageContext {
  /** Address of the service without "/" at the end, and its origin. */
  base: string;
  origin: string;
  clock: PageClock;
  modal: Modal;
  /** Called when a container has returned to the document. */
  returned: (widget: Widget) => void;
}

/** Checkbox frame, token and its lifetime, in one container. */
export class Widget implements ModalUser {
  readonly id: string;
  /** Last call of `render`. */
  settings: Settings;
  /** The container had the class of containers when it was drawn in. */
  isMarked = false;
  /** A form around the widget was submitted, so its token may be spent. */
  submitted = false;
  readonly #around: PageContext;
  readonly #tell: Announcer;
  readonly #place: Place;
  #read: ReadOptions;
  /** Infinity after a fault that the page received: then the page decides about the container's content. */
  #redraws = 0;
  #frame: HTMLIFrameElement | undefined;
  #port: MessagePort | undefined;
  #attempt = 0;
  #waiting: () => void = () => {};
  #framedAt = 0;
  #ready = false;
  #used = false;
  #token = "";
  #expiry: Expiry | undefined;
  #execution: Execution | undefined;

  constructor(id: string, container: HTMLElement, read: ReadOptions, around: PageContext) {
    this.id = id;
    this.#read = read;
    this.#around = around;
    this.#place = new Place(container, around.base);
    const callbacks = () => this.options.callbacks;
    this.#tell = new Announcer(container, callbacks, () => this.#fail("callback_not_found"));
  }

  get container(): HTMLElement {
    return this.#place.container;
  }

  /** Language and theme as configured, and then as the frame has them. */
  get options(): WidgetOptions {
    return this.#read.options;
  }

  get #fault(): WidgetError | undefined {
    return this.#read.fault ?? (origin === "null" ? "hostname_not_allowed" : undefined);
  }

  get isDrawn(): boolean {
    return this.#place.isWhole;
  }

  get token(): string {
    this.#expiry?.check();
    return this.#token;
  }

  /** Draws in place of the container's content; again with the current settings. */
  draw(read: ReadOptions): void {
    this.#redraws = this.isDrawn || this.#redraws >= MAX_REDRAWS ? 0 : this.#redraws + 1;
    this.suspend();
    this.#read = read;
    const fault = this.#fault;
    this.#place.empty(fault === undefined ? this.options.field : undefined);
    if (fault === undefined) this.#load(0);
    else this.#giveUp(fault);
  }

  /**
   * Called after a change of the page: true if it must be drawn again. With a token, a page may show other
   * things.
   */
  isLost(): boolean {
    if (this.isDrawn) return false;
    if (this.#token !== "" && !this.#place.isFree) {
      this.#place.spare();
      return false;
    }
    if (this.#redraws < MAX_REDRAWS) return true;
    if (this.#redraws < 1 / 0) this.#giveUp("frame_blocked");
    else this.suspend();
    return false;
  }

  get #isUnseen(): boolean {
    return this.options.size === "invisible";
  }

  /** A call while another is pending waits for the same token. */
  execute(): Promise<string> {
    if (this.#execution !== undefined) return this.#execution.result;
    const { result } = (this.#execution = new Execution());
    if (!this.#isUnseen) this.#ended("invalid_widget");
    else if (this.#fault !== undefined) this.#ended(this.#fault);
    else if (!this.container.isConnected) this.#ended("cancelled");
    else {
      this.#forget();
      if (this.#ready) this.#send({ type: "execute" });
      else if (this.#frame === undefined) this.#load(0);
    }
    return result;
  }

  #ended(code: Parameters<typeof executionFault>[0]): void {
    this.#end(executionFault(code, this.options.language));
  }

  #end(outcome: Parameters<Execution["end"]>[0]): void {
    this.#execution?.end(outcome);
    this.#execution = undefined;
  }

  /** First state: no token, box not ticked. */
  reset(expired = false): void {
    this.#ended("cancelled");
    this.submitted = false;
    this.#forget();
    this.#around.modal.close(this);
    if (this.isDrawn) this.#send({ type: "reset", expired });
    else this.draw(this.#read);
  }

  remove(): void {
    this.suspend();
    this.#place.remove();
    this.#frame = undefined;
  }

  /** Called when the container has left the document. If it returns, the frame loads again. */
  suspend(): void {
    this.#ended("cancelled");
    this.#waiting();
    this.#forget();
    this.#send({ type: "destroy" });
    this.#port?.close();
    this.#port = undefined;
    this.#ready = false;
    this.#around.modal.close(this);
  }

  /** Called when the page is visible again, perhaps after hours. */
  check(): void {
    this.#expiry?.check();
    const old = this.#around.clock.monotonic() - this.#framedAt > OLD;
    if (old && this.#frame !== undefined && this.isDrawn && this.#token === "" && this.#isIdle) this.#load(0);
  }

  get #isIdle(): boolean {
    return this.#execution === undefined && !this.#around.modal.isOpenFor(this);
  }

  /** The page's policy has refused a frame of the service. */
  blocked(): void {
    if (this.#frame !== undefined && !this.#ready) this.#giveUp("frame_blocked");
  }

  #giveUp(code: WidgetError): void {
    this.#waiting();
    this.#frame = undefined;
    this.#redraws = 1 / 0;
    const { size, language, theme } = this.options;
    const retry = isRetryable(code) && {
      retry: { label: loaderText("retry", language), press: () => this.#load(0) },
    };
    const words = notice({
      text: faultText(code, language),
      theme,
      size: SIZES[size].replace("height", "min-height"),
      ...retry,
    });
    this.#place.put(this.#isUnseen ? undefined : words);
    this.#fail(code);
    this.#ended(code);
  }

  #fail(code: WidgetError): void {
    this.#tell.error(executionFault(code, this.options.language));
  }

  /** Each attempt has a frame of its own: setting `src` again would add an entry to the page's history. */
  #load(attempt: number): void {
    this.#waiting();
    this.#attempt = attempt;
    this.#ready = false;
    const { siteKey, language, theme, size } = this.options;
    const query = new URLSearchParams({ k: siteKey, hl: language, th: theme, id: this.id });
    const frame = newFrame(
      this.options,
      `overflow:hidden;${SIZES[size]}`,
      `${this.#around.base}/f/v1/box?${query}`,
    );
    frame.setAttribute("scrolling", "no");
    frame.inert = this.#isUnseen;
    frame.addEventListener("load", () => this.#loaded(frame));
    this.#frame = frame;
    this.#framedAt = this.#around.clock.monotonic();
    this.#place.put(frame);
    this.#waitForAttempt();
  }

  #wait(ms: number, late: () => void): void {
    this.#waiting();
    this.#waiting = this.#around.clock.after(ms, late);
  }

  #waitForAttempt(): void {
    const waiting = whenShown(() => this.#waitForAttempt());
    if (waiting !== undefined) {
      this.#waiting = waiting;
      return;
    }
    this.#wait(WAITS[this.#attempt] ?? 0, () => {
      if (this.#attempt + 1 < WAITS.length) this.#load(this.#attempt + 1);
      else this.#giveUp("network_error");
    });
  }

  /** Also called after the container was moved, which makes the frame load again. */
  #loaded(frame: HTMLIFrameElement): void {
    if (frame !== this.#frame || !frame.isConnected) return;
    if (this.#ready || this.#port === undefined) this.#restart();
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    port1.onmessage = ({ data }) => {
      const message = readFromBox(data);
      if (message !== undefined && this.#port === port1) this.#onMessage(message);
    };
    const { action, size } = this.options;
    const init: InitMessage = {
      spc: 1,
      type: "init",
      id: this.id,
      cfg: { size, ...(action !== undefined && { action }) },
    };
    frame.contentWindow?.postMessage(init, this.#around.origin, [port2]);
    if (isFramed()) this.#wait(FRAMED, () => this.blocked());
  }

  #restart(): void {
    this.#around.returned(this);
    this.#forget();
    this.#around.modal.close(this);
    this.#ready = false;
    this.#waitForAttempt();
  }

  #onMessage(message: FromBox): void {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        this.#redraws = 0;
        this.#waiting();
        this.options.language = message.language;
        this.options.theme = message.theme ?? this.options.theme;
        if (this.#frame === undefined) return;
        this.#frame.title = loaderText("title", message.language);
        applyStyle(this.#frame, scheme(this.options.theme));
        if (this.#execution !== undefined) this.#send({ type: "execute" });
        return;
      case "open":
        this.#redraws = 0;
        this.#open(message);
        return;
      case "resize":
        this.#around.modal.resize(this, message.w, message.h);
        this.#around.modal.reported(this);
        return;
      case "close":
        this.#around.modal.close(this);
        return;
      case "token":
        this.#solved(message.token, message.ttl_ms);
        return;
      case "error":
        this.#redraws = 1 / 0;
        this.#tell.error(message);
        return;
      case "failed":
        this.#end(message);
        return;
    }
  }

  #open({ w, h, ref }: Extract<FromBox, { type: "open" }>): void {
    const { base, modal, origin } = this.#around;
    // Without a box nothing is shown before there is a task.
    if (this.#isUnseen && ref === undefined) return;
    modal.open(this, w, h, () => {
      if (!this.#used) {
        this.#used = true;
        this.#tell.event("open");
      }
      if (ref === undefined) return;
      const query = new URLSearchParams({ s: ref, hl: this.options.language, th: this.options.theme });
      modal.load(this, `${base}/f/v1/task?${query}`, (frame) => {
        // The two frames talk to each other; this page only connects them.
        const { port1, port2 } = new MessageChannel();
        const init: InitMessage = { spc: 1, type: "init", id: this.id, cfg: {} };
        frame.contentWindow?.postMessage(init, origin, [port2]);
        this.#send({ type: "dialog-ready" }, [port1]);
      });
    });
  }

  dismissed(reason: CloseReason): void {
    this.#send({ type: "dismiss", reason });
  }

  closed(): void {
    // A dialog restores the focus by itself (HTML section 4.11.4), but not from a frame that is removed with it.
    if (!this.#isUnseen) this.#frame?.focus();
    if (!this.#used) return;
    this.#used = false;
    this.#tell.event("close");
    if (this.#token === "") this.#send({ type: "dismiss", reason: "reset" });
  }

  #solved(token: string, ttl: number): void {
    this.#forget();
    this.submitted = false;
    this.#token = token;
    this.#place.write(token);
    this.#around.modal.close(this);
    this.#expiry = new Expiry(this.#around.clock, ttl, () => {
      this.reset(true);
      this.#tell.expired();
    });
    this.#end(token);
    this.#tell.success(token);
  }

  #forget(): void {
    this.#expiry?.stop();
    this.#expiry = undefined;
    this.#token = "";
    this.#place.write("");
  }

  #send(message: ToBox, ports: MessagePort[] = []): void {
    this.#port?.postMessage(message, ports);
  }
}
