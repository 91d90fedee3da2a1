import type { Starting } from "./starting.js";

/** What the launcher needs to know; everything else is read by control. Plain JSON, kept in the run directory. */

/** Where to listen. `setting` names the deployment key, for messages. Port 0: any free port. */
export interface ListenAddress {
  host: string;
  port: number;
  setting: string;
  /** The gateway runs without this listener where its default address is taken. */
  optional?: true;
}

/** Listeners in the order in which their descriptors are handed over. */
export interface Listening {
  data: ListenAddress[];
  /** Of the workers too; clients speak TLS there. */
  tls: ListenAddress[];
  admin: ListenAddress[];
  status: ListenAddress[];
  metrics: ListenAddress[];
}

/** A service of a plugin, in a process of its own with its own listener. */
export interface ServiceProcess {
  /** Also of its listener; none of `Listening`. */
  name: string;
  module: string;
  listen: ListenAddress;
}

export interface LaunchPlan {
  listening: Listening;
  services: ServiceProcess[];
  /** Worker processes, at least 1. */
  workers: number;
  /** Private directory (0700) for the sockets between control and the others. */
  runDirectory: string;
  /** Milliseconds: connections are still taken for `delayMs` after a stop was asked for, then requests in flight get `timeoutMs`. */
  drain: { delayMs: number; timeoutMs: number };
  /** Module files of the kinds of children. */
  controlModule: string;
  workerModule: string;
  /** Answers on control's listeners while control cannot. */
  responderModule: string;
  /** Path of the page of metrics, where there is one. */
  metricsUri?: string | undefined;
  /** Settings that control starts from, until a reload, or another control, leaves others in force. They travel over the channel to control: secrets in them are never in a file. */
  settings: object;
}

/** Processes that serve, as the launcher alone knows it while control is away. */
export interface Serving {
  /** Workers that take connections. */
  workers: number;
  expected: number;
  /** Another gateway serves on the same listeners until this one does. */
  predecessor: boolean;
  /** The gateway is about to stop. */
  stopping: boolean;
}

/** Reports whether requests are served, and will be. */
export const isServing = ({ workers, predecessor, stopping }: Serving): boolean =>
  !stopping && (workers > 0 || predecessor);

/** Milliseconds that requests in flight get of a service; the launcher ends it earlier where `gw.drain.timeout` is shorter. */
export const SERVICE_DRAIN_MS = 30_000;

/** Environment variables of the children. */
export const ENVIRONMENT = {
  /** Run directory. */
  run: "GWC_RUN_DIRECTORY",
  /** Descriptor that the watchdog shows signs of life on. */
  pulse: "GWC_LIVENESS_FD",
  worker: "GWC_WORKER",
  /** JSON `Bound`: how many descriptors of each kind follow descriptor 3, and where they listen. */
  listeners: "GWC_LISTENERS",
  /** Set for the successor of a launcher: the descriptors it takes over. */
  inherit: "GWC_INHERIT",
  /** Set for a launcher that the main process of a container started, and that asks it for its successor. */
  init: "GWC_INIT",
  /** Set for a child that follows one whose store has failed. */
  storeFailed: "GWC_STORE_FAILED",
} as const;

/** A child's descriptor for its pulse: 0..2 are the standard streams, 3 is the channel to the launcher. */
export const LIVENESS_FD = 4;
/** First listener's descriptor in a child. */
export const FIRST_LISTENER_FD = 5;

/** From the launcher to a child. A listener's handle travels with `listener`. */
export type ToChild =
  /** To control, first of all; `restarted`: another one was started before it. */
  | { type: "settings"; settings: object; restarted?: true }
  /** To control, every now and then: the launcher lives. */
  | { type: "alive" }
  /** To control: a worker has shown no sign of life and is replaced. */
  | { type: "silent"; worker: number; pid: number; silentMs: number }
  | { type: "reload" }
  /** To control: who serves has changed. */
  | { type: "serving"; serving: Serving }
  /** To workers: open log files again. */
  | { type: "reopen" }
  | { type: "listener"; index: number }
  | { type: "drain"; ms: number };

/** From a child to the launcher. */
export type ToLauncher =
  /** Control: a stage of its start begins. */
  | { type: "stage"; starting: Starting }
  /** Control: it answers on its listeners from now on. */
  | { type: "listening" }
  /** Control: the first generation is live in every worker; `stale`: it is the last known good one, not what is configured. */
  | { type: "ready"; stale?: true }
  /** Control: the settings that a reload, or its start, has left in force, for the controls after it. */
  | { type: "settings"; settings: object }
  /** Control: a reload has ended. */
  | { type: "reloaded"; taken: boolean }
  /** Worker, service: it serves, so that its end from now on is no failed start. */
  | { type: "serving" }
  /** Control: the start cannot succeed (reason printed already); stop everything with this exit code. */
  | { type: "abandon"; code: number }
  /** Control: a worker does not answer; end it, a new one starts. */
  | { type: "replace"; pid: number }
  /** Control, service: a disk has failed in a write of its store, and may do so again in the next process. */
  | { type: "store_failed" }
  /** Worker: send the listener again, it was closed to let other workers accept. */
  | { type: "listener"; index: number };
