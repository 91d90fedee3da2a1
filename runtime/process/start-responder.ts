import { type ChildProcess, spawn } from "node:child_process";
import { restartDelay } from "./child.js";
import type { Serving } from "./launch-plan.js";
import type { KindOfListener } from "./listener-handover.js";
import { log } from "./log.js";
import { startProcess } from "./start-process.js";
import type { Starting } from "./starting.js";

/** From the launcher to the process that answers without control; a listener's handle travels with `listener`. */
export type ToResponder =
  | { type: "listener"; kind: string; uri?: string | undefined }
  | { type: "stage"; starting: Starting }
  | { type: "serving"; serving: Serving };

/** Timeout in ms for responses that are being written. */
const CLOSE_MS = 2_000;

/**
 * Answers on the listeners of status, admin API and metrics while control cannot: at a start, and after
 * control has died. A process of its own: control's main thread is busy for seconds with a large
 * configuration. It is started again if it fails, later each time; meanwhile connections wait for control.
 */
export class StartResponder {
  readonly #module: string;
  #child: ChildProcess | undefined;
  #lent: readonly KindOfListener[] = [];
  /** Last message of each type, for the next process. */
  readonly #lastSent = new Map<string, Exclude<ToResponder, { type: "listener" }>>();
  #uri: string | undefined;
  /** Restarts in a row, until it is closed. */
  #restarts = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(module: string) {
    this.#module = module;
  }

  /** @param serving default: no worker serves yet @param uri of the metrics page */
  open(
    listeners: readonly KindOfListener[],
    starting: Starting,
    { serving, uri }: { serving?: Serving; uri?: string | undefined } = {},
  ): void {
    this.#uri = uri ?? this.#uri;
    const lent = this.#child === undefined ? [] : this.#lent;
    if (this.#child === undefined) this.#start();
    // Sent before the first connection.
    this.tell({ type: "stage", starting });
    if (serving !== undefined) this.tell({ type: "serving", serving });
    for (const listener of listeners) {
      if (lent.includes(listener)) continue;
      this.#lend(listener);
    }
    this.#lent = [...new Set([...lent, ...listeners])];
  }

  #lend({ kind, handle }: KindOfListener): void {
    this.#send({ type: "listener", kind, uri: this.#uri }, handle);
  }

  tell(what: Exclude<ToResponder, { type: "listener" }>): void {
    this.#lastSent.set(what.type, what);
    this.#send(what);
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#restarts = 0;
    clearTimeout(this.#timer);
    if (child === undefined) return;
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    child.once("exit", () => clearTimeout(killer));
  }

  #start(): void {
    clearTimeout(this.#timer);
    const child = startProcess(
      () => spawn(process.execPath, [this.#module], { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
      (error, failed) => this.#notStarted(error, failed),
    );
    if (child === undefined) return;
    this.#child = child;
    child.on("disconnect", () => {});
    child.once("exit", (_, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (signal !== null) this.#restartLater();
    });
  }

  #notStarted(error: Error, failed: ChildProcess | undefined): void {
    // It was closed meanwhile.
    if (this.#child !== failed) return;
    log("child_not_started", { child: "start responder", error: error.message });
    this.#child = undefined;
    this.#restartLater();
  }

  #restartLater(): void {
    this.#restarts += 1;
    this.#timer = setTimeout(() => this.#restart(), restartDelay(this.#restarts));
  }

  #restart(): void {
    this.#start();
    for (const what of this.#lastSent.values()) this.#send(what);
    for (const listener of this.#lent) this.#lend(listener);
  }

  #send(message: ToResponder, handle?: unknown): void {
    if (this.#child?.connected) this.#child.send(message, handle as never, { keepOpen: true }, () => {});
  }
}
