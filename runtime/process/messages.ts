import type { CertificateTexts } from "../abi/certificates.js";
import type { SeriesBounds } from "../abi/folded-metrics.js";
import type { MetricFamily } from "../abi/metrics.js";
import { DEFAULT_PATH_RULES, type PathRules } from "../abi/path.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import type { TlsPolicy } from "../abi/tls-policy.js";
import type { Trace, TraceOrder } from "../abi/trace.js";
import type { RealIpHeader } from "../http/client-address.js";
import type { Limits } from "../http/limits.js";
import type { StallSource } from "../proxy/host/execution-marker.js";
import type { FailedPart } from "../proxy/host/module-stack.js";
import type { AccessLogSettings } from "./access-log.js";
import type { ActivityReport } from "./activity.js";
import type { LogsReport } from "./logs-report.js";

/** Messages of control and a worker, one JSON object a line. Code is named by its range in the generation log. */

/** A range of a file, in bytes. */
export interface FileRange {
  file: string;
  offset: number;
  length: number;
}

/** Values of literal secrets by their reference; only on this socket of a private directory, in no file. */
export type Secrets = Readonly<Record<string, string>>;

export interface NextGeneration {
  generation: number;
  delta: FileRange;
  /** Undefined if they are those of the live generation. */
  secrets?: Secrets;
  /** Policy that checks changed certificates: that of the settings that follow. Undefined: the current one. */
  tls?: TlsPolicy;
}

export type ToWorker =
  /** Load a complete generation and serve from it. */
  | {
      type: "start";
      generation: number;
      log: FileRange;
      settings: WorkerSettings;
      secrets: Secrets;
      /** Runtime code of packaged plugins that its modules call. */
      plugins: readonly PluginFile[];
    }
  /** Prepare the changes of `delta`; the reply is `prepared` or `refused`. */
  | ({ type: "prepare" } & NextGeneration)
  /**
   * Dry run of `prepare`: check `delta` without opening anything, and forget it; the reply is as for
   * `prepare`. `certificateTexts`: contents of files that are new with it; a `prepare` receives them by
   * `settings` before.
   */
  | ({ type: "attempt"; certificateTexts: CertificateTexts } & NextGeneration)
  | { type: "activate"; generation: number }
  /** Discard the prepared generation: the store did not take it, or another worker refused it. */
  | { type: "discard"; generation: number }
  /** A worker accepts connections only after the first of these: when it serves the committed generation. */
  | { type: "accept"; on: boolean }
  /** Settings of a reload; listeners keep their ports. */
  | { type: "settings"; settings: WorkerSettings }
  /** The reply is an immediate `metrics` with the same number. */
  | { type: "metrics"; number: number }
  /** The reply is an immediate `logs` with the same number; `users`: with the modules of each destination. */
  | { type: "logs"; number: number; users: boolean }
  /** Ship the spools: this worker is elected, with the highest epoch so far. */
  | { type: "ship"; epoch: number }
  /** Quarantine a route with 503 for `ms`; 0: serve it again. Handled at once. */
  | { type: "hold"; route: string; ms: number }
  /** Trace the requests of these orders, and no others. Handled at once. */
  | { type: "trace"; orders: readonly TraceOrder[] };

export type ToControl =
  | {
      type: "hello";
      worker: number;
      pid: number;
      abi: number;
      /** Live generation, 0 before the first. */
      generation: number;
      planHash: string;
      accepting: boolean;
      /** Fingerprint of the packaged plugins that it has loaded (`fingerprintOf`). */
      plugins: string;
    }
  /** Its listeners are open, as requested: from now on no connection is refused. */
  | { type: "accepting" }
  | { type: "prepared"; generation: number }
  /** `code`: of the diagnostic, if the generation has a fault; `exhausted`: the machine cannot take it now. */
  | { type: "refused"; generation: number; reason: string; code?: string; exhausted?: true }
  | { type: "active"; generation: number; planHash: string }
  /** Every second, and at once if the number of connections has grown by half. */
  | { type: "stats"; connections: number; requests: number }
  /** Counts since the previous message of this kind: every second with any count. */
  | { type: "activity"; report: ActivityReport }
  /** Counters since the start of the process: on request, at intervals, and before it ends. */
  | { type: "metrics"; number?: number; families: MetricFamily[] }
  | { type: "logs"; number: number; report: LogsReport }
  /** A log line about a failed module; control adds the locations of its parts. */
  | { type: "module_failed"; fields: Record<string, unknown>; parts: FailedPart[] }
  | { type: "traced"; ids: readonly string[]; trace: Trace }
  /** Another process shipped the spools and has ended: a new election is due. */
  | { type: "deserted" }
  /** From the watchdog's own connection: the worker is stalled and is killed now. */
  | ({ type: "stalled"; worker: number; pid: number; silentMs: number } & StallSource);

/** Deployment settings of workers; absent limits have the defaults of the data server. */
export interface WorkerSettings {
  /** Time in ms for requests in flight at a stop. */
  drainMs: number;
  limits: Limits;
  admission: AdmissionSettings;
  tls: TlsPolicy;
  /** Contents of certificate files. Like keys (`Secrets`), they are in no file of the gateway. */
  certificateTexts?: CertificateTexts;
  /** Absent: none. */
  accessLog?: AccessLogSettings;
  /** Absent: this gateway has no spools. Fixed from the first start on. */
  spool?: SpoolPlace;
  /** Absent: the defaults. Fixed from the first start on, because handles of series are cached. */
  series?: SeriesBounds;
}

export interface AdmissionSettings {
  trustedAddresses: string[];
  realIpHeader: RealIpHeader;
  /** `gw.underscores_in_headers`; null: only aliases of protected headers are dropped. */
  underscores: "drop" | "keep" | "refuse" | null;
  allowTrace: boolean;
  pathRules: PathRules;
}

export const DEFAULT_ADMISSION: Readonly<AdmissionSettings> = {
  trustedAddresses: [],
  realIpHeader: "X-Forwarded-For",
  underscores: null,
  allowTrace: false,
  pathRules: DEFAULT_PATH_RULES,
};

export interface SpoolPlace {
  /** Absolute path. */
  directory: string;
  maxBytes: number;
  /** Bytes of the disk to leave free of records without a waiting response. */
  reserveBytes: number;
  /** Start of the gateway, in epoch milliseconds. */
  startedAt?: number;
}

export const CONTROL_SOCKET = "control.sock";
