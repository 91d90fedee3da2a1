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

/**
 * Between control and a worker, one JSON object a line on the UNIX socket in the run directory. Text of modules never
 * travels here: messages name a stretch of the generation log (`generation-log.ts`).
 */

/** A stretch of a file, in bytes. */
export interface FileRange {
  file: string;
  offset: number;
  length: number;
}

/**
 * Values of the secrets that configurations write out, by the reference that modules hold. They travel on this socket,
 * whose directory is its owner's alone, and are in no file.
 */
export type Secrets = Readonly<Record<string, string>>;

/** Change that makes the next generation of the live one. */
export interface NextGeneration {
  generation: number;
  delta: FileRange;
  /** Undefined when they are those of the live generation. */
  secrets?: Secrets;
  /** By which certificates are judged that change: that of the settings which follow. Undefined: that in use. */
  tls?: TlsPolicy;
}

export type ToWorker =
  /** Load a whole generation and serve from it. */
  | {
      type: "start";
      generation: number;
      log: FileRange;
      settings: WorkerSettings;
      secrets: Secrets;
      /** What its modules call of plugins that come in packages. */
      plugins: readonly PluginFile[];
    }
  /** Make ready what `delta` changes; answered by `prepared` or `refused`. */
  | ({ type: "prepare" } & NextGeneration)
  /**
   * Say whether `delta` would be refused, as far as that shows without opening anything, and forget it; answered as `prepare` is.
   * `certificateTexts`: of files that are new with it, which `settings` tell before a `prepare`.
   */
  | ({ type: "attempt"; certificateTexts: CertificateTexts } & NextGeneration)
  | { type: "activate"; generation: number }
  /** Forget what was prepared: the store did not take it or another worker refused. */
  | { type: "discard"; generation: number }
  /** A worker accepts connections only after the first of these: when it serves the committed generation. */
  | { type: "accept"; on: boolean }
  /** Settings of a reload; listeners keep their ports. */
  | { type: "settings"; settings: WorkerSettings }
  /** Answered at once by `metrics` with the same number. */
  | { type: "metrics"; number: number }
  /** Answered at once by `logs` with the same number. `users`: tell also which modules log where. */
  | { type: "logs"; number: number; users: boolean }
  /** Ship what stands in the spools: this worker is elected, and no shipper has had so high an epoch. */
  | { type: "ship"; epoch: number }
  /** Answer a route 503 for so long, 0: serve it again. Obeyed at once. */
  | { type: "hold"; route: string; ms: number }
  /** Record the requests that these want, and no others. Obeyed at once. */
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
      /** What it has loaded of plugins that come in packages (`fingerprintOf`). */
      plugins: string;
    }
  /** Its listeners are open, as it was told: from now on nobody is refused. */
  | { type: "accepting" }
  | { type: "prepared"; generation: number }
  /** `code` is the finding's, when it is a fault of the generation; `exhausted`: it is the machine that cannot take it now. */
  | { type: "refused"; generation: number; reason: string; code?: string; exhausted?: true }
  | { type: "active"; generation: number; planHash: string }
  /** Every second, and at once when the number of connections has grown by half. */
  | { type: "stats"; connections: number; requests: number }
  /** What was counted since the message of this kind before: every second in which there was something. */
  | { type: "activity"; report: ActivityReport }
  /** Counters since the start of the process: when asked, now and then, and before it ends. */
  | { type: "metrics"; number?: number; families: MetricFamily[] }
  /** What is known of the destinations of logs, when asked. */
  | { type: "logs"; number: number; report: LogsReport }
  /** A line for the log about a module that has failed; control knows where its parts stand. */
  | { type: "module_failed"; fields: Record<string, unknown>; parts: FailedPart[] }
  /** A request that was to be recorded is over. */
  | { type: "traced"; ids: readonly string[]; trace: Trace }
  /** Another process shipped the spools and has ended: somebody should be elected again. */
  | { type: "deserted" }
  /** From the watchdog's own connection: the worker has been silent and is ended now. */
  | ({ type: "stalled"; worker: number; pid: number; silentMs: number } & StallSource);

/** What workers need of the deployment settings; limits have the data server's own defaults when absent. */
export interface WorkerSettings {
  /** Milliseconds for requests in flight at a stop. */
  drainMs: number;
  limits: Limits;
  admission: AdmissionSettings;
  tls: TlsPolicy;
  /** Texts of certificates that come from files. Like keys (`Secrets`), they are in no file of the gateway. */
  certificateTexts?: CertificateTexts;
  /** Absent: none. */
  accessLog?: AccessLogSettings;
  /** Absent: this gateway keeps no spools. Holds from the first start on. */
  spool?: SpoolPlace;
  /** Absent: the defaults. Hold from the first start on, as handles of series are kept. */
  series?: SeriesBounds;
}

/** Whose words about a request are believed, and what is let in. */
export interface AdmissionSettings {
  /** `gw.trusted_addresses`. */
  trustedAddresses: string[];
  /** `gw.real_ip_header`. */
  realIpHeader: RealIpHeader;
  /** `gw.underscores_in_headers`; null: only what collides is dropped. */
  underscores: "drop" | "keep" | "refuse" | null;
  /** `gw.allow_trace`. */
  allowTrace: boolean;
  /** `gw.path`. */
  pathRules: PathRules;
}

export const DEFAULT_ADMISSION: Readonly<AdmissionSettings> = {
  trustedAddresses: [],
  realIpHeader: "X-Forwarded-For",
  underscores: null,
  allowTrace: false,
  pathRules: DEFAULT_PATH_RULES,
};

/** Where spools are, and how much they may take together. */
export interface SpoolPlace {
  /** Absolute. */
  directory: string;
  maxBytes: number;
  /** Bytes of the disk that records which nobody waits for leave free. */
  reserveBytes: number;
  /** Start of the gateway, in epoch milliseconds. */
  startedAt?: number;
}

export const CONTROL_SOCKET = "control.sock";
