import type { Starting } from "./starting.js";

/** Settings that the launcher needs; control reads everything else. */

/** Address to listen on. `setting` names the deployment key, for messages. Port 0: any free port. */
export interface ListenAddress {
  host: string;
  port: number;
  setting: string;
  /** Set if the gateway runs without this listener when its default address is taken. */
  optional?: true;
}

/** Listeners in the order in which children inherit their descriptors. */
type Listening = Record<"data" | "tls" | "admin" | "status" | "metrics", ListenAddress[]>;

interface ServiceProcess {
  /** Name of the process and of its listener; not a key of `Listening`. */
  name: string;
  module: string;
  listen: ListenAddress;
}

export interface LaunchPlan {
  listening: Listening;
  services: ServiceProcess[];
  /** Number of worker processes, at least 1. */
  workers: number;
  /** Private directory (0700) for the sockets between control and the others. */
  runDirectory: string;
  /** Times in ms: after a stop request connections are accepted for `delayMs`; requests then get `timeoutMs`. */
  drain: { delayMs: number; timeoutMs: number };
  controlModule: string;
  workerModule: string;
  /** Serves control's listeners while control cannot. */
  responderModule: string;
  /** Path of the metrics page, if there is one. */
  metricsUri?: string | undefined;
  /** Settings that control starts with, until replaced; sent over its channel, so that no secret is in a file. */
  settings: object;
}

/** Serving state, as the launcher alone knows it while control is away. */
export interface Serving {
  /** Number of workers that accept connections. */
  workers: number;
  expected: number;
  /** Set while another gateway serves on the same listeners, until this one does. */
  predecessor: boolean;
  /** Set once the gateway is stopping. */
  stopping: boolean;
}

/** Reports whether requests are served, and will be. */
export const isServing = ({ workers, predecessor, stopping }: Serving): boolean =>
  !stopping && (workers > 0 || predecessor);

/** Time in ms for a service's requests in flight; a shorter `gw.drain.timeout` of the launcher wins. */
export const SERVICE_DRAIN_MS = 30_000;

/** Environment variables of the children. */
export const ENVIRONMENT = {
  run: "GWC_RUN_DIRECTORY",
  /** Descriptor for the watchdog's liveness signals. */
  pulse: "GWC_LIVENESS_FD",
  worker: "GWC_WORKER",
  /** JSON list of listeners: kind, host and port of each descriptor from `FIRST_LISTENER_FD` on. */
  listeners: "GWC_LISTENERS",
  /** Set for the successor of a launcher: the descriptors that it takes over. */
  inherit: "GWC_INHERIT",
  /** Set for a launcher whose parent is a container's main process: it asks that process for its successor. */
  init: "GWC_INIT",
  /** Set for a child that follows one with a failed store. */
  storeFailed: "GWC_STORE_FAILED",
} as const;

/** Descriptor of a child for liveness signals: 0..2 are the standard streams, 3 the channel to the launcher. */
export const LIVENESS_FD = 4;
/** First listener's descriptor in a child. */
export const FIRST_LISTENER_FD = 5;

/** From the launcher to a child. A listener's handle travels with `listener`. */
export type ToChild =
  /** To control, as the first message; `restarted`: it is not the first control. */
  | { type: "settings"; settings: object; restarted?: true }
  /** To control, at intervals: the launcher lives. */
  | { type: "alive" }
  /** To control: a worker was unresponsive and is replaced. */
  | { type: "silent"; worker: number; pid: number; silentMs: number }
  | { type: "reload" }
  /** To control: the serving state has changed. */
  | { type: "serving"; serving: Serving }
  /** To workers: open log files again. */
  | { type: "reopen" }
  | { type: "listener"; index: number }
  | { type: "drain"; ms: number };

export type ToLauncher =
  /** Control: a stage of its start begins. */
  | { type: "stage"; starting: Starting }
  /** Control: it serves its listeners from now on. */
  | { type: "listening" }
  /** Control: the first generation is live in every worker; `stale`: it is the last known good one. */
  | { type: "ready"; stale?: true }
  /** Control: the settings in force after a reload, or after its start, for the controls after it. */
  | { type: "settings"; settings: object }
  /** Control: a reload has ended. */
  | { type: "reloaded"; taken: boolean }
  /** Worker, service: it serves, so that its end from now on is no failed start. */
  | { type: "serving" }
  /** Control: the start cannot succeed (reason already printed); stop everything with this exit code. */
  | { type: "abandon"; code: number }
  /** Control: a worker is unresponsive; kill it, a new one starts. */
  | { type: "replace"; pid: number }
  /** Control, service: the disk failed in a write of its store, and may fail again in the next process. */
  | { type: "store_failed" }
  /** Worker: send the listener again, which was closed to let other workers accept. */
  | { type: "listener"; index: number };
