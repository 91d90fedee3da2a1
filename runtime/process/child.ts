import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { ENVIRONMENT, FIRST_LISTENER_FD, LIVENESS_FD, type ToChild, type ToLauncher } from "./launch-plan.js";
import { livenessTimeout } from "./liveness.js";
import { startProcess } from "./start-process.js";
import { type ProcessTimeout, wantsProcessor } from "./starvation.js";

/** How to start a child process, also again. */
export interface ChildRecipe {
  name: string;
  module: string;
  nodeFlags: string[];
  environment: Record<string, string>;
  /** Descriptors that the child inherits, from `FIRST_LISTENER_FD` on. */
  descriptors: number[];
  /** First message to each started process. */
  firstMessage?: ToChild;
}

export interface ChildEvents {
  hear(message: ToLauncher, child: SupervisedChild): void;
  /** A child sent no liveness signal for too long, and is killed now. */
  silent(child: SupervisedChild, pid: number, silentMs: number): void;
  log(event: string, fields: Record<string, unknown>): void;
  /** The child does not serve: it was just started, or has ended. */
  away(child: SupervisedChild): void;
}

/** Time in ms after which a failing start has another cause than the previous one. */
const LONG_START_MS = 10_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;
/** Minimum time in ms between two starts of a child that served: its end must not make clients wait. */
const SPACING_MS = 1_000;

/** Delay in ms after `failures` failed starts in a row; the first restart is immediate. */
export function restartDelay(failures: number): number {
  return failures <= 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (failures - 2), MAX_DELAY_MS);
}

/** A child process that is started again whenever it ends or becomes unresponsive, until `retire`. */
export class SupervisedChild {
  process: ChildProcess | undefined;
  readonly recipe: ChildRecipe;
  #failedStarts = 0;
  #startedAt = 0;
  /** Set once this process has served: its end then does not predict the next start. */
  #served = false;
  #retired = false;
  #timer: NodeJS.Timeout | undefined;
  #watch: ProcessTimeout | undefined;
  readonly #events: ChildEvents;

  constructor(recipe: ChildRecipe, events: ChildEvents) {
    this.recipe = recipe;
    this.#events = events;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#served = false;
    this.#events.away(this);
    const child = startProcess(
      () => this.#spawn(),
      (error) => this.#notStarted(error),
    );
    if (child === undefined) return;
    this.process = child;
    child.on("message", (message) => this.#onMessage(message as ToLauncher));
    child.once("exit", (code, signal) => this.#ended(code, signal));
    child.on("disconnect", () => {});
    const pulses = child.stdio?.[LIVENESS_FD] as Readable | undefined;
    if (child.pid === undefined || !pulses) return;
    const { pid } = child;
    this.#watch = livenessTimeout(
      pulses,
      (silentMs) => this.#silent(child, silentMs),
      () => wantsProcessor(pid),
    );
    if (this.recipe.firstMessage) this.send(this.recipe.firstMessage);
  }

  #spawn(): ChildProcess {
    const { module, nodeFlags, environment, descriptors } = this.recipe;
    return spawn(process.execPath, [...nodeFlags, module], {
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe", ...descriptors],
      env: { ...process.env, ...environment, [ENVIRONMENT.pulse]: String(LIVENESS_FD) },
    });
  }

  #onMessage(message: ToLauncher): void {
    if (message.type === "serving" || message.type === "ready") this.#served = true;
    this.#events.hear(message, this);
  }

  #silent(child: ChildProcess, silentMs: number): void {
    const { pid = 0 } = child;
    this.#events.log("child_unresponsive", { child: this.recipe.name, pid_ended: pid, silent_ms: silentMs });
    this.#events.silent(this, pid, silentMs);
    child.kill("SIGKILL");
  }

  #notStarted(error: Error): void {
    this.#events.log("child_not_started", { child: this.recipe.name, error: error.message });
    this.#ended(null, null);
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.process = undefined;
    this.#watch?.stop();
    this.#watch = undefined;
    this.#events.away(this);
    if (this.#retired) return;
    const lived = performance.now() - this.#startedAt;
    this.#failedStarts = this.#served ? 0 : lived > LONG_START_MS ? 1 : this.#failedStarts + 1;
    const delay = this.#served ? Math.max(0, SPACING_MS - lived) : restartDelay(this.#failedStarts);
    const restart = { restart_in_ms: Math.round(delay) };
    this.#events.log("child_ended", { child: this.recipe.name, code, signal, ...restart });
    this.#timer = setTimeout(() => this.start(), delay);
  }

  /** Sends a message to the child; lost if the child is just ending. */
  send(message: object, handle?: unknown): void {
    if (this.process?.connected) this.process.send(message, handle as never, { keepOpen: true }, () => {});
  }

  resume(): void {
    this.#retired = false;
    this.start();
  }

  /** Resolves when the process is gone; it is killed after `deadlineMs`, or if unresponsive. */
  async retire(deadlineMs: number): Promise<void> {
    this.#retired = true;
    clearTimeout(this.#timer);
    const child = this.process;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    await gone;
    clearTimeout(killer);
  }
}

export function listenerEnvironment(
  listeners: { host: string; port: number; kind: string }[],
): Record<string, string> {
  const described = listeners.map(({ host, port, kind }, index) => {
    return { kind, host, port, fd: FIRST_LISTENER_FD + index };
  });
  return { [ENVIRONMENT.listeners]: JSON.stringify(described) };
}
