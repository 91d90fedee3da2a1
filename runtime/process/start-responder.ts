import { type ChildProcess, spawn } from "node:child_process";
import type { Serving } from "./launch-plan.js";
import type { KindOfListener } from "./listener-handover.js";
import type { Starting } from "./starting.js";

/** From the launcher to the process that answers while control cannot; a listener's handle travels with `listener`. */
export type ToResponder =
  | { type: "listener"; kind: string; uri?: string | undefined }
  | { type: "stage"; starting: Starting }
  | { type: "serving"; serving: Serving };

/** For answers that are being written. */
const CLOSE_MS = 2_000;
/** Starts after it was killed, by the kernel for want of memory for example, until it is closed. */
const MAX_RESTARTS = 5;

/**
 * Answers on the listeners of status, admin API and metrics while control is not there yet: at a start, and after control has
 * died. A process of its own, because control's main thread is busy for seconds with a large configuration, and the launcher
 * takes no request. One that is killed is started again; when it fails, connections wait for control.
 */
export class StartResponder {
  readonly #module: string;
  #child: ChildProcess | undefined;
  #lent: readonly KindOfListener[] = [];
  /** Last message of each type, for the next process. */
  readonly #told = new Map<string, Exclude<ToResponder, { type: "listener" }>>();
  #uri: string | undefined;
  #restarts = 0;

  /** @param module what its process runs */
  constructor(module: string) {
    this.#module = module;
  }

  /**
   * Starts answering, or goes on, with these listeners and those it has.
   * @param serving default: nobody serves yet @param uri of the page of metrics
   */
  open(
    listeners: readonly KindOfListener[],
    starting: Starting,
    { serving, uri }: { serving?: Serving; uri?: string | undefined } = {},
  ): void {
    this.#uri = uri ?? this.#uri;
    const lent = this.#child === undefined ? [] : this.#lent;
    this.#child ??= this.#start();
    // Before the first connection.
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
    this.#told.set(what.type, what);
    this.#send(what);
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#restarts = 0;
    if (child === undefined) return;
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), CLOSE_MS);
    child.once("exit", () => clearTimeout(killer));
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [this.#module], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    child.on("error", () => {});
    child.on("disconnect", () => {});
    child.once("exit", (_, signal) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      if (signal !== null && this.#restarts < MAX_RESTARTS) this.#restart();
    });
    return child;
  }

  #restart(): void {
    this.#restarts += 1;
    this.#child = this.#start();
    for (const what of this.#told.values()) this.#send(what);
    for (const listener of this.#lent) this.#lend(listener);
  }

  #send(message: ToResponder, handle?: unknown): void {
    if (this.#child?.connected) this.#child.send(message, handle as never, { keepOpen: true }, () => {});
  }
}
