import type { Telemetry } from "../../service/protocol.js";
import { PointerPath, short } from "./path.js";

type Activation = Telemetry["activation"];

/** The page's script starts the attempt: there is no click. */
export const BY_CODE: Activation = {
  kind: "code",
  trusted: false,
  samples: 0,
  path_ratio: 0,
  speed_variation: 0,
  turns: 0,
  pause_ms: 0,
  press_ms: 0,
  off_centre: 0,
  radius: 0,
};

/** Maximum time in ms between a press and its click. */
const RECENT = 1_500;

/** Group C. Sees nothing of the page around the frame. */
export class ActivationWatch {
  readonly #box: HTMLElement;
  #path = new PointerPath();
  /** Samples of finished paths. */
  #before = 0;
  #pointer: { kind: string; at: number; radius: number; pause: number } | undefined;
  #key: number | undefined;

  constructor(box: HTMLElement) {
    this.#box = box;
    addEventListener(
      "pointermove",
      (event) => this.#path.add(event.clientX, event.clientY, event.timeStamp),
      {
        passive: true,
      },
    );
    addEventListener(
      "pointerdown",
      ({ pointerType, timeStamp, width, height }) => {
        const radius = Math.max(width, height) / 2;
        this.#pointer = { kind: pointerType, at: timeStamp, radius, pause: this.#path.pause(timeStamp) };
        this.#key = undefined;
      },
      { passive: true },
    );
    addEventListener("keydown", ({ key, repeat, timeStamp }) => {
      if (repeat || (key !== " " && key !== "Enter")) return;
      this.#key = timeStamp;
      this.#pointer = undefined;
    });
  }

  /** Pointer samples since the load of the frame. */
  get moves(): number {
    return this.#before + this.#path.samples;
  }

  /** Starts again after a click on the box. */
  take(click: MouseEvent): Activation {
    const now = click.timeStamp;
    const pointer =
      this.#pointer !== undefined && now - this.#pointer.at < RECENT + 1e3 ? this.#pointer : undefined;
    const key = this.#key !== undefined && now - this.#key < RECENT ? this.#key : undefined;
    const { left, top, width, height } = this.#box.getBoundingClientRect();
    // Keys and assistive technology click without a position.
    const placed = click.clientX !== 0 || click.clientY !== 0;
    const off = placed ? Math.hypot(click.clientX - left - width / 2, click.clientY - top - height / 2) : 0;
    const activation: Activation = {
      kind: kindOf(pointer?.kind, key !== undefined),
      trusted: click.isTrusted,
      ...this.#path.statistics(),
      pause_ms: Math.round(pointer?.pause ?? 0),
      press_ms: Math.max(0, Math.round(now - (pointer?.at ?? key ?? now))),
      off_centre: Math.min(1e4, short(off)),
      radius: pointer?.kind === "touch" ? Math.min(1e4, short(pointer.radius)) : 0,
    };
    this.#before += this.#path.samples;
    this.#path = new PointerPath();
    this.#pointer = this.#key = undefined;
    return activation;
  }
}

/** VoiceOver, TalkBack and switch control tick by a trusted click without a pointer or a key before it. */
function kindOf(pointer: string | undefined, key: boolean): Activation["kind"] {
  if (pointer === "mouse" || pointer === "touch" || pointer === "pen") return pointer;
  return key ? "keyboard" : "assistive";
}
