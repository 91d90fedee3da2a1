import { type ChildProcess, spawn } from "node:child_process";
import { ENVIRONMENT, FIRST_LISTENER_FD, type ToLauncher } from "./launch-plan.js";

/** How to start one child, again and again. */
export interface ChildRecipe {
  name: string;
  module: string;
  /** Flags of Node itself. */
  nodeFlags: string[];
  environment: Record<string, string>;
  /** Descriptors handed over, from `FIRST_LISTENER_FD` on. */
  descriptors: number[];
}

/** A child that has lived this long is healthy: its next end starts the delays afresh. */
const HEALTHY_MS = 10_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** Milliseconds before the next start after `ends` quick ends in a row; the first restart is immediate. */
export function restartDelay(ends: number): number {
  return ends <= 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (ends - 2), LONGEST_DELAY_MS);
}

/** A child process that is started again whenever it ends, until `retire`. */
export class SupervisedChild {
  process: ChildProcess | undefined;
  private quickEnds = 0;
  private retired = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly recipe: ChildRecipe;
  private readonly hear: (message: ToLauncher, child: SupervisedChild) => void;
  private readonly log: (event: string, fields: Record<string, unknown>) => void;

  constructor(
    recipe: ChildRecipe,
    hear: (message: ToLauncher, child: SupervisedChild) => void,
    log: (event: string, fields: Record<string, unknown>) => void,
  ) {
    this.recipe = recipe;
    this.hear = hear;
    this.log = log;
  }

  start(): void {
    const { module, nodeFlags, environment, descriptors } = this.recipe;
    const started = Date.now();
    const child = spawn(process.execPath, [...nodeFlags, module], {
      stdio: ["ignore", "inherit", "inherit", "ipc", ...descriptors],
      env: { ...process.env, ...environment },
    });
    this.process = child;
    child.on("message", (message) => this.hear(message as ToLauncher, this));
    child.once("error", (error) =>
      this.log("child_not_started", { child: this.recipe.name, error: error.message }),
    );
    child.once("exit", (code, signal) => this.ended(started, code, signal));
    child.on("disconnect", () => {});
  }

  private ended(started: number, code: number | null, signal: NodeJS.Signals | null): void {
    this.process = undefined;
    if (this.retired) return;
    this.quickEnds = Date.now() - started > HEALTHY_MS ? 1 : this.quickEnds + 1;
    const delay = restartDelay(this.quickEnds);
    this.log("child_ended", { child: this.recipe.name, code, signal, restart_in_ms: delay });
    this.timer = setTimeout(() => this.start(), delay);
  }

  /** Tells the child something; a child that is just ending hears nothing. */
  send(message: object, handle?: unknown): void {
    if (this.process?.connected) this.process.send(message, handle as never, { keepOpen: true }, () => {});
  }

  /** Starts again after `retire`. */
  resume(): void {
    this.retired = false;
    this.start();
  }

  /** Lets the next end be the last. Resolves when the process is gone; it is killed after `deadlineMs`. */
  async retire(deadlineMs: number, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.retired = true;
    clearTimeout(this.timer);
    const child = this.process;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(signal);
    const killer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    await gone;
    clearTimeout(killer);
  }
}

/** Environment that tells a child which descriptors are its listeners. */
export function listenerEnvironment(
  listeners: { host: string; port: number; kind: string }[],
): Record<string, string> {
  const described = listeners.map(({ host, port, kind }, index) => ({
    kind,
    host,
    port,
    fd: FIRST_LISTENER_FD + index,
  }));
  return { [ENVIRONMENT.listeners]: JSON.stringify(described) };
}
