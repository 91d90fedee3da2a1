import type { WidgetError } from "../../service/protocol.js";
import { readFromBox } from "../shared/from-box.js";
import type { CloseReason, FromBox, InitMessage, ToBox } from "../shared/messages.js";
import { Announcer } from "./announce.js";
import { Expiry, type PageClock } from "./expiry.js";
import { applyStyle, newFrame, scheme } from "./inline-style.js";
import type { Modal, ModalUser } from "./modal.js";
import { notice } from "./notice.js";
import type { ReadOptions, WidgetOptions } from "./options.js";
import { faultText, loaderText } from "./texts.js";

/** Milliseconds that each attempt to load the frame gets. */
const WAITS = [3_000, 6_000, 12_000];
/** Milliseconds after which an unused frame is made anew, so that its session and its script are not of yesterday. */
const OLD = 12 * 3_600_000;

/**
 * Milliseconds that a loaded frame has to answer on a page inside another site. Browsers refuse a frame there that the other site may not
 * show, and load a page of their own in its place.
 */
const FRAMED = 2_000;

/** Of the faults that the loader finds, the one that may pass by itself. */
const isRetryable = (code: WidgetError): boolean => code === "network_error";

const SIZES = { normal: [300, 74], compact: [164, 144] } as const;

/** What all widgets of a page have in common. */
export interface PageContext {
  /** Address of the service without "/" at the end, and its origin. */
  base: string;
  origin: string;
  clock: PageClock;
  modal: Modal;
  /** A container that had left the document is back. */
  returned: (widget: Widget) => void;
}

/** One widget in its container: the checkbox frame, the hidden field, the token and its life. */
export class Widget implements ModalUser {
  readonly id: string;
  readonly container: HTMLElement;
  /** Language and theme as asked for, and then as the frame has them. */
  readonly options: WidgetOptions;
  /** A form around the widget was sent, so its token may be spent. */
  submitted = false;
  readonly #around: PageContext;
  readonly #fault: WidgetError | undefined;
  readonly #tell: Announcer;
  #frame: HTMLIFrameElement | undefined;
  #notice: HTMLElement | undefined;
  #field: HTMLInputElement | undefined;
  #port: MessagePort | undefined;
  #attempt = 0;
  #waiting: () => void = () => {};
  #framedAt = 0;
  #ready = false;
  #used = false;
  #token = "";
  #expiry: Expiry | undefined;

  constructor(id: string, container: HTMLElement, { options, fault }: ReadOptions, around: PageContext) {
    this.id = id;
    this.container = container;
    this.options = options;
    this.#around = around;
    this.#fault = fault;
    this.#tell = new Announcer(container, options.callbacks, () => this.#fail("callback_not_found"));
  }

  get token(): string {
    this.#expiry?.check();
    return this.#token;
  }

  mount(): void {
    const fault = this.#fault ?? (origin === "null" ? "hostname_not_allowed" : undefined);
    if (fault !== undefined) {
      this.#giveUp(fault);
      return;
    }
    if (this.options.field !== undefined) {
      this.#field = document.createElement("input");
      this.#field.type = "hidden";
      this.#field.name = this.options.field;
      this.#field.autocomplete = "off";
      this.container.append(this.#field);
    }
    this.#load(0);
  }

  /** Back to the start: no token, box not ticked. */
  reset(expired = false): void {
    this.submitted = false;
    this.#forget();
    this.#around.modal.close(this);
    this.#send({ type: "reset", expired });
  }

  /** Takes everything away that the widget made. */
  remove(): void {
    this.suspend();
    this.#frame?.remove();
    this.#notice?.remove();
    this.#field?.remove();
    this.#frame = this.#notice = this.#field = undefined;
  }

  /** The container has left the document, perhaps to come back: then the frame loads again and starts anew. */
  suspend(): void {
    this.#waiting();
    this.#forget();
    this.#send({ type: "destroy" });
    this.#port?.close();
    this.#port = undefined;
    this.#ready = false;
    this.#around.modal.close(this);
  }

  /** The page is looked at again, after hours perhaps. */
  check(): void {
    this.#expiry?.check();
    const old = this.#around.clock.monotonic() - this.#framedAt > OLD;
    if (old && this.#frame !== undefined && this.#token === "" && !this.#around.modal.isOpenFor(this))
      this.#load(0);
  }

  /** A frame of the service was refused by the page's policy. */
  blocked(): void {
    if (this.#frame !== undefined && !this.#ready) this.#giveUp("frame_blocked");
  }

  /** Shows what went wrong in place of the frame. */
  #giveUp(code: WidgetError): void {
    this.#waiting();
    this.#frame?.remove();
    this.#frame = undefined;
    this.#notice?.remove();
    const { size, language, theme } = this.options;
    const [width, height] = SIZES[size];
    const retry = isRetryable(code) && {
      retry: { label: loaderText("retry", language), press: () => this.#load(0) },
    };
    this.#notice = notice({
      text: faultText(code, language),
      theme,
      width,
      height,
      ...retry,
    });
    this.container.append(this.#notice);
    this.#fail(code);
  }

  #fail(code: WidgetError): void {
    this.#tell.error({ code, message: faultText(code, this.options.language), retryable: isRetryable(code) });
  }

  /** Each attempt has a frame of its own: setting `src` again would add an entry to the page's history. */
  #load(attempt: number): void {
    this.#waiting();
    this.#attempt = attempt;
    this.#ready = false;
    this.#notice?.remove();
    this.#frame?.remove();
    const { siteKey, language, theme, size } = this.options;
    const [width, height] = SIZES[size];
    const query = new URLSearchParams({ k: siteKey, hl: language, th: theme, id: this.id });
    const frame = newFrame(
      this.options,
      `width:${width}px;max-width:100%;height:${height}px;overflow:hidden;`,
      `${this.#around.base}/f/v1/box?${query}`,
    );
    frame.setAttribute("scrolling", "no");
    frame.addEventListener("load", () => this.#loaded(frame));
    this.#frame = frame;
    this.#framedAt = this.#around.clock.monotonic();
    this.container.append(frame);
    this.#waitForAttempt();
  }

  /** For the frame to answer. */
  #wait(ms: number, late: () => void): void {
    this.#waiting();
    this.#waiting = this.#around.clock.after(ms, late);
  }

  #waitForAttempt(): void {
    this.#wait(WAITS[this.#attempt] ?? 0, () => {
      if (this.#attempt + 1 < WAITS.length) this.#load(this.#attempt + 1);
      else this.#giveUp("network_error");
    });
  }

  /** Also after the container was moved, which makes the frame load again. */
  #loaded(frame: HTMLIFrameElement): void {
    if (frame !== this.#frame || !frame.isConnected) return;
    if (this.#ready || this.#port === undefined) this.#restart();
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    port1.onmessage = ({ data }) => {
      const message = readFromBox(data);
      if (message !== undefined && this.#port === port1) this.#heard(message);
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

  #heard(message: FromBox): void {
    switch (message.type) {
      case "ready":
        this.#ready = true;
        this.#waiting();
        this.options.language = message.language;
        this.options.theme = message.theme ?? this.options.theme;
        if (this.#frame === undefined) return;
        this.#frame.title = loaderText("title", message.language);
        applyStyle(this.#frame, scheme(this.options.theme));
        return;
      case "open":
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
        this.#tell.error(message);
        return;
    }
  }

  #open({ w, h, ref }: Extract<FromBox, { type: "open" }>): void {
    const { base, modal, origin } = this.#around;
    modal.open(this, w, h, () => {
      if (!this.#used) {
        this.#used = true;
        this.#tell.event("open");
      }
      if (ref === undefined) return;
      const query = new URLSearchParams({ s: ref, hl: this.options.language, th: this.options.theme });
      modal.load(this, `${base}/f/v1/task?${query}`, (frame) => {
        // The two frames talk to each other; this page only brings them together.
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
    // A dialog hands the focus back by itself (HTML section 4.11.4), but not out of a frame that goes with it.
    this.#frame?.focus();
    if (!this.#used) return;
    this.#used = false;
    this.#tell.event("close");
    if (this.#token === "") this.#send({ type: "dismiss", reason: "reset" });
  }

  #solved(token: string, ttl: number): void {
    this.#forget();
    this.submitted = false;
    this.#token = token;
    if (this.#field !== undefined) this.#field.value = token;
    this.#around.modal.close(this);
    this.#expiry = new Expiry(this.#around.clock, ttl, () => {
      this.reset(true);
      this.#tell.expired();
    });
    this.#tell.success(token);
  }

  #forget(): void {
    this.#expiry?.stop();
    this.#expiry = undefined;
    this.#token = "";
    if (this.#field !== undefined) this.#field.value = "";
  }

  #send(message: ToBox, ports: MessagePort[] = []): void {
    this.#port?.postMessage(message, ports);
  }
}

/** Whether the page stands in a page of another origin. */
function isFramed(): boolean {
  try {
    return !top?.document;
  } catch {
    return true;
  }
}
