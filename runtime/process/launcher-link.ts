import { ENVIRONMENT, type ToLauncher } from "./launch-plan.js";
import type { KindOfListener } from "./listener-handover.js";

export type InheritedListener = Omit<KindOfListener, "handle">;

/** Returns the listeners of this child, in the launcher's order. */
export function inheritedListeners(): InheritedListener[] {
  return JSON.parse(process.env[ENVIRONMENT.listeners] ?? "[]") as InheritedListener[];
}

/** Returns an environment variable that the launcher always sets for its children. */
export function fromLauncher(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: only the launcher starts this file`);
  return value;
}

export function tellLauncher(message: ToLauncher): void {
  if (process.connected) process.send?.(message);
}

/**
 * Ignores the terminal's signals (Ctrl-C reaches the whole process group). Calls `stop` once, on SIGTERM or
 * without a launcher: systemd and `timeout` send that signal to each process, so it may come twice.
 */
export function obeyLauncher(stop: () => void): void {
  let isAsked = false;
  const stopOnce = () => {
    if (isAsked) return;
    isAsked = true;
    stop();
  };
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  process.on("SIGTERM", stopOnce);
  process.on("disconnect", stopOnce);
  // The launcher ended while this process was starting.
  if (!process.connected) stopOnce();
}

/** Reload that may be requested before it is possible; it then runs later: the start may have read the files. */
export class AwaitedReload {
  #reload: (() => void) | undefined;
  #asked = false;

  readonly ask = (): void => {
    if (this.#reload) this.#reload();
    else this.#asked = true;
  };

  serve(reload: () => void): void {
    this.#reload = reload;
    if (this.#asked) reload();
  }
}
