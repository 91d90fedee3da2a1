/**
 * Main process of a container, which ends with it. A launcher that ends after a handover (SIGUSR2) must not
 * be that process, so each launcher is a child of this one.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import type { BoundListener } from "./bind.js";
import { type FromLauncher, startedToServe, successorOn } from "./listener-handover.js";
import { log } from "./log.js";

/** Signals from an operator, a container engine or logrotate. */
const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

/**
 * Names in /proc of programs that run one child and end with it: tini (Debian, Alpine, Docker `--init`),
 * catatonit (Podman `--init`), dumb-init. Then engines, whose child is the main process in the host's PID
 * namespace (`--pid=host`, `hostPID`). The kernel cuts names to 15 characters: `containerd-shim-runc-v2`.
 */
const INITS = new Set([
  ...["tini", "tini-static", "docker-init", "catatonit", "podman-init", "dumb-init"],
  ...["containerd-shim", "conmon", "conmonrs"],
]);

/** Reports whether the container ends with this process, which must then outlive all versions of the gateway. */
export const endsContainer = (): boolean =>
  process.pid === 1 || isStartedFromOutside() || INITS.has(nameOf(process.ppid));

/** Reports a parent outside this PID namespace. In a shared one (`shareProcessNamespace`) process 1 is another. */
const isStartedFromOutside = (): boolean => process.ppid === 0;

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd();
  } catch {
    return "";
  }
}

/** @returns the exit code of the last child that served; 128 plus the number of the signal that ended it */
export function superviseGateway(): Promise<number> {
  // The kernel gives orphans of a container to its process 1, but Node waits only for its own children.
  if (process.pid === 1)
    log("init_missing", {
      reason: "gwc is process 1, and Node reaps no orphans: run it under an init (tini)",
    });
  return new Promise((resolve) => new Init(resolve).start());
}

class Init {
  readonly #end: (code: number) => void;
  /** The serving child, and a successor that does not serve yet. */
  readonly #children = new Set<ChildProcess>();
  #serving: ChildProcess | undefined;
  /** Exit code of the last child that served. */
  #code: number | undefined;
  #stopping = false;
  /** Children that a successor has replaced: they are stopping, and a second signal would abort their work. */
  readonly #replaced = new Set<ChildProcess>();
  /** Signals that came during the start of a successor, which may have read the files before. */
  readonly #asked = new Set<"SIGHUP" | "SIGUSR1">();
  #replacing = false;

  constructor(end: (code: number) => void) {
    this.#end = end;
  }

  start(): void {
    for (const signal of PASSED_ON) {
      // Until now a signal ended this process (signals.ts).
      process.removeAllListeners(signal);
      process.on(signal, () => this.#pass(signal));
    }
    const first = successorOn([], true);
    if (first === undefined) this.#end(1);
    else this.#serving = this.#watch(first);
  }

  #pass(signal: (typeof PASSED_ON)[number]): void {
    const ends = signal === "SIGTERM" || signal === "SIGINT";
    const isSecond = ends && this.#stopping;
    this.#stopping ||= ends;
    if (!ends) {
      if (this.#replacing && signal !== "SIGUSR2") this.#asked.add(signal);
      this.#serving?.kill(signal);
    } else for (const child of this.#children) if (isSecond || !this.#replaced.has(child)) child.kill(signal);
  }

  #watch(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    const listeners: BoundListener[] = [];
    child.on("message", (message: FromLauncher, handle: unknown) => {
      if (message.type === "listener") {
        const left = handle as BoundListener["handle"];
        listeners.push({ ...message, handle: left, fd: left.fd });
      } else if (message.type === "succeed") this.#replace(child, listeners.splice(0));
    });
    child.once("error", () => this.#onExit(child, 1));
    child.once("exit", (code, signal) =>
      this.#onExit(child, code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
    return child;
  }

  /** Starts a successor on the listeners of `predecessor`, which then receives the result and stops or continues. */
  #replace(predecessor: ChildProcess, listeners: readonly BoundListener[]): void {
    const answer = (serves: boolean) => {
      for (const { handle } of listeners) handle.close();
      if (predecessor.connected) predecessor.send({ type: "succeeded", serves });
    };
    const started = this.#stopping ? undefined : successorOn(listeners, true);
    if (started === undefined) {
      answer(false);
      return;
    }
    this.#replacing = true;
    const successor = this.#watch(started);
    void startedToServe(successor).then((serves) => {
      this.#replacing = false;
      if (serves) {
        this.#serving = successor;
        this.#replaced.add(predecessor);
        for (const signal of this.#asked) successor.kill(signal);
      }
      this.#asked.clear();
      answer(serves);
    });
  }

  #onExit(child: ChildProcess, code: number): void {
    this.#children.delete(child);
    this.#replaced.delete(child);
    if (child === this.#serving) {
      this.#serving = undefined;
      this.#code = code;
    }
    // A successor that never served may end last, by the signal that ended all of them.
    if (this.#children.size === 0) this.#end(this.#code ?? code);
  }
}
