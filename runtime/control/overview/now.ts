import type { DiagnosticSummary } from "../../../compiler/thread/diagnostic-summary.js";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";
import type { CertificateDate } from "../certificates.js";
import type { LastReload } from "../configuration-files.js";
import { FamilySums } from "../metrics/family-sums.js";
import { isFailing, momentsKey, nodeMoments } from "../node-metrics.js";
import type { QuarantinedRoute } from "../route-quarantine.js";
import type { NotReady } from "../status.js";
import type { Workers } from "../workers.js";

/** Node that at least one worker has ejected. */
interface NodeOut {
  upstream: string;
  node: string;
  /** Number of workers that have ejected it or probe it. */
  workers: number;
}

/** Node in use whose last attempt failed. */
interface NodeFailing {
  upstream: string;
  node: string;
  error: string;
  /** ISO 8601. */
  at: string;
}

/** State of a worker that control knows without a query. */
export type KnownWorker = ReturnType<Workers["summary"]>[number];

/** State of a worker with its metrics; null until reported. */
interface WorkerNow extends KnownWorker {
  memory_bytes: number | null;
  loop_lag_ms: number | null;
}

export interface Now {
  generation: number;
  workers: WorkerNow[];
  workers_expected: number;
  ready: boolean;
  /** Reasons why it is not ready, most important first. */
  reasons: readonly NotReady[];
  warnings: readonly NotReady[];
  read_only: string | null;
  services: Readonly<Record<string, { up: boolean; reason?: string }>>;
  last_reload: LastReload | null;
  quarantined_routes: readonly QuarantinedRoute[];
  /** Size in bytes of the store file and the generations beside it; 0 if nothing is stored. */
  store: { bytes: number; history: { entries: number; bytes: number } };
  /** All spools; `max_bytes` is null if there are none. */
  spool: { bytes: number; oldest_seconds: number; max_bytes: number | null };
  /** Log entries pending, dropped since the start of the gateway, and dropped in the last 15 minutes. */
  logs: {
    pending_entries: number;
    pending_bytes: number;
    dropped_entries: number;
    dropped_lately: number;
  };
  nodes_out: NodeOut[];
  nodes_failing: NodeFailing[];
  certificates: { ssl: string; expires: string; days: number }[];
  /** Null if not known yet, or if there is no compiler. */
  findings: DiagnosticSummary | null;
}

export type Measured = Pick<Now, "spool" | "nodes_out" | "nodes_failing"> & {
  /** Metrics by the name of the process, "worker-0". */
  processes: ReadonlyMap<string, Pick<WorkerNow, "memory_bytes" | "loop_lag_ms">>;
  logs: Omit<Now["logs"], "dropped_lately">;
};

const DAY_MS = 86_400_000;
/** Days until expiry below which a certificate is reported. */
const SOON_DAYS = 30;

/** Age in seconds after which the failure of an unused node no longer says anything about its state. */
const STILL_FAILING = 900;

/** @param maxBytes limit of all spools together @param now epoch seconds */
export function measured(families: readonly MetricFamily[], maxBytes: number | null, now: number): Measured {
  const sums = new FamilySums(families);
  const sum = (name: string) => sums.of(name).value;
  const ages = sums.series("gw_spool_oldest_seconds").map(({ value }) => value);
  const out = nodesOut(sums.series("gw_upstream_node_state"));
  return {
    spool: {
      bytes: sum("gw_spool_bytes"),
      oldest_seconds: Math.max(0, ...ages),
      max_bytes: maxBytes,
    },
    logs: {
      pending_entries: sum("gw_log_pending_entries"),
      pending_bytes: sum("gw_log_pending_bytes"),
      dropped_entries: sum("gw_log_entries_dropped_total") + sum("gw_spool_entries_dropped_total"),
    },
    processes: processesOf(sums),
    nodes_out: out,
    nodes_failing: nodesFailing(sums, out, now - STILL_FAILING),
  };
}

function processesOf(sums: FamilySums): Measured["processes"] {
  const lags = new Map(
    sums
      .series("nodejs_eventloop_lag_p99_seconds")
      .map(({ labels, value }) => [labels["process"] ?? "", Math.round(value * 10_000) / 10]),
  );
  const sizes = sums.series("process_resident_memory_bytes");
  return new Map(
    sizes.map(({ labels: { process = "" }, value }) => [
      process,
      { memory_bytes: value, loop_lag_ms: lags.get(process) ?? null },
    ]),
  );
}

/** Excludes ejected nodes, which are reported already, and old failures of nodes not used since. */
function nodesFailing(sums: FamilySums, out: readonly NodeOut[], since: number): NodeFailing[] {
  const isOut = new Set(out.map(({ upstream, node }) => momentsKey(upstream, node)));
  return [...nodeMoments(sums)]
    .filter(([key, moments]) => isFailing(moments) && moments.failedAt >= since && !isOut.has(key))
    .map(([, { upstream, node, error, failedAt }]) => ({
      ...{ upstream, node, error },
      at: new Date(failedAt * 1_000).toISOString(),
    }));
}

function nodesOut(series: readonly MetricSeries[]): NodeOut[] {
  const found = new Map<string, NodeOut>();
  for (const { labels, value } of series) {
    const { upstream = "", node = "", state } = labels;
    if (value === 0 || (state !== "ejected" && state !== "half_open")) continue;
    const key = `${upstream} ${node}`;
    const known = found.get(key) ?? { upstream, node, workers: 0 };
    found.set(key, { ...known, workers: known.workers + value });
  }
  return [...found.values()];
}

/** Earliest first. @param now epoch milliseconds */
export function expiring(dates: readonly CertificateDate[], now: number): Now["certificates"] {
  return dates
    .map(({ ssl, expires }) => ({
      ssl,
      expires: new Date(expires * 1_000).toISOString(),
      days: Math.floor((expires * 1_000 - now) / DAY_MS),
    }))
    .filter(({ days }) => days < SOON_DAYS)
    .sort((a, b) => a.days - b.days);
}
