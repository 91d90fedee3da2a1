import type { PluginAttention } from "../../process/contribution.js";
import type { Figures } from "./last-hour.js";
import type { Now } from "./now.js";

type Found = Omit<Attention, "of">;

/** Thresholds for the share of 5xx responses, and the minimum number of requests. */
const ERROR_SHARE = { warning: 0.01, error: 0.05, requests: 20 };
/** Time in seconds after the start of control in which missing processes are not reported. */
const ARRIVING = 15;
const ABSENT: readonly AttentionKind[] = ["impaired", "service_down"];
const SPOOL_SHARE = { warning: 0.5, error: 0.8 };
const CERTIFICATE_DAYS = 7;

export interface Recent extends Figures {
  /** Number of these seconds since the start of control. */
  seconds: number;
  /** Route with the most 5xx responses. */
  worst: { route: string; errors: number } | undefined;
}

export function attentionTo(
  now: Now,
  recent: Recent,
  ofPlugins: readonly PluginAttention[] = [],
): Attention[] {
  const all = [
    ...ofGateway(now),
    ...ofWarnings(now),
    ...ofTraffic(recent),
    ...ofPlugins,
    ...ofNodes(now),
    ...ofLogs(now),
    ...ofCertificates(now),
    ...ofDiagnostics(now),
  ];
  return inOrder(recent.seconds < ARRIVING ? all.filter(({ kind }) => !ABSENT.includes(kind)) : all);
}

/** Warnings of readiness that no other function here reports. */
const IMPAIRED = ["certificate_file", "launcher_silent", "workers_behind", "workers_missing", "write_failed"];

function ofWarnings({ warnings }: Now): Found[] {
  return warnings
    .filter(({ code }) => IMPAIRED.includes(code))
    .map(
      ({ code, message, ssl }): Found => ({
        ...{ severity: "warning", kind: "impaired", text: message },
        subject: typeof ssl === "string" ? `ssls/${ssl}` : null,
        action: "look at the log of the gateway",
        values: { code, message },
      }),
    );
}

function ofGateway({ reasons, read_only, last_reload, services, quarantined_routes }: Now): Found[] {
  return [
    ...reasons.map(
      ({ code, message }): Found => ({
        ...{ severity: "error", kind: "not_ready", text: `not ready: ${message}`, subject: null },
        action: "look at the log of the gateway",
        values: { code, message },
      }),
    ),
    ...(read_only === null ? [] : [read_only]).map(
      (reason): Found => ({
        ...{ severity: "error", kind: "read_only", text: `writes are rejected: ${reason}`, subject: null },
        action: "fix the configuration files and reload",
        values: { reason },
      }),
    ),
    ...(last_reload === null || last_reload.ok ? [] : [last_reload]).map(
      ({ at, reason = "" }): Found => ({
        ...{ severity: "warning", kind: "reload_refused", subject: null },
        text: `the reload of ${at} was rejected; the previous configuration still runs`,
        action: "fix the files as the reason says, and reload",
        values: { at, reason },
      }),
    ),
    ...Object.entries(services)
      .filter(([, { up }]) => !up)
      .map(
        ([name, { reason = "" }]): Found => ({
          ...{ severity: "error", kind: "service_down", subject: name },
          text: `${name} does not serve: ${reason}`,
          action: "look at the log of the gateway",
          values: { name, reason },
        }),
      ),
    ...quarantined_routes.map(
      ({ route, stalls, remaining_ms }): Found => ({
        ...{ severity: "error", kind: "route_quarantined", subject: `routes/${route}` },
        text: `route ${route} returns 503: its code has stalled a worker ${stalls} times`,
        action: "change the part of the route that the log names",
        values: { route, stalls, remaining_ms },
      }),
    ),
  ];
}

function ofTraffic({ requests, errors_5xx: errors, worst }: Recent): Found[] {
  const share = requests === 0 ? 0 : errors / requests;
  if (requests < ERROR_SHARE.requests || share < ERROR_SHARE.warning) return [];
  const percent = Math.round(share * 1_000) / 10;
  return [
    {
      severity: share < ERROR_SHARE.error ? "warning" : "error",
      ...{ kind: "server_errors", subject: worst ? `routes/${worst.route}` : null },
      text: `${percent}% of the responses of the last 5 minutes have a status of 500 or more${
        worst ? `, ${worst.errors} of ${errors} on route ${worst.route}` : ""
      }`,
      action: "look at the routes with the most errors, and trace a request",
      values: { percent, errors, requests, ...(worst && { route: worst.route, of_route: worst.errors }) },
    },
  ];
}

function ofNodes({ nodes_out, nodes_failing, workers }: Now): Found[] {
  return [
    ...nodes_out.map(
      ({ upstream, node, workers: out }): Found => ({
        severity: out >= workers.length ? "error" : "warning",
        ...{ kind: "node_out", subject: subjectOf(upstream) },
        text: `node ${node} of ${upstream} is ejected by ${out} of ${workers.length} workers`,
        action: "check the node; the gateway probes it automatically",
        values: { upstream, node, workers: out, of: workers.length },
      }),
    ),
    ...nodes_failing.map(
      ({ upstream, node, error, at }): Found => ({
        ...{ severity: "warning", kind: "node_failing", subject: subjectOf(upstream) },
        text: `node ${node} of ${upstream} fails, but is still in use: ${error}`,
        action: "check that the node listens there and responds",
        values: { upstream, node, error, at },
      }),
    ),
  ];
}

/** Returns "routes/a" for "route:a". */
const subjectOf = (upstream: string): string =>
  /^(?:route|service):/.test(upstream) ? upstream.replace(":", "s/") : `upstreams/${upstream}`;

function ofLogs({ spool, logs }: Now): Found[] {
  const found: Found[] = [];
  const share = spool.max_bytes === null || spool.max_bytes === 0 ? 0 : spool.bytes / spool.max_bytes;
  if (share >= SPOOL_SHARE.warning) {
    const percent = Math.round(share * 100);
    found.push({
      severity: share < SPOOL_SHARE.error ? "warning" : "error",
      ...{ kind: "spool_filling", subject: null, text: `the spools are ${percent}% full` },
      action: "check that the log destinations accept records",
      values: { percent, bytes: spool.bytes, oldest_seconds: spool.oldest_seconds },
    });
  }
  if (logs.dropped_lately > 0)
    found.push({
      ...{ severity: "error", kind: "log_entries_dropped", subject: null },
      text: `${logs.dropped_lately} log entries were dropped in the last 15 minutes`,
      action: "check the loggers' queues and destinations",
      values: { entries: logs.dropped_lately },
    });
  return found;
}

function ofCertificates({ certificates }: Now): Found[] {
  return certificates.map(
    ({ ssl, expires, days }): Found => ({
      severity: days < CERTIFICATE_DAYS ? "error" : "warning",
      ...{ kind: "certificate_expires", subject: `ssls/${ssl}` },
      text:
        days < 0
          ? `the certificate of ${ssl} has expired`
          : `the certificate of ${ssl} expires in ${days} days`,
      action: "replace the certificate",
      values: { ssl, expires, days },
    }),
  );
}

/** Returns a count with its noun, "3 errors"; "" for none. */
const several = (count: number, what: string): string =>
  count === 0 ? "" : `${count} ${what}${count === 1 ? "" : "s"}`;

function ofDiagnostics({ findings }: Now): Found[] {
  if (findings === null || findings.errors + findings.warnings === 0) return [];
  const { errors, warnings, first } = findings;
  const [one] = first;
  const counts = [several(errors, "error"), several(warnings, "warning")].filter(Boolean).join(" and ");
  return [
    {
      severity: errors > 0 ? "error" : "warning",
      ...{ kind: "findings", subject: null },
      text: `the configuration has ${counts}${errors + warnings > 1 ? ", the first" : ""}: ${one?.code} ${one?.message}`,
      action: "open the resource, and fix the diagnostics next to the editor",
      values: {
        errors,
        warnings,
        code: one?.code ?? "",
        message: one?.message ?? "",
        place: one?.place ?? "",
      },
    },
  ];
}

/** Kind for programs, which may have their own texts. */
type AttentionKind =
  | ("not_ready" | "impaired" | "read_only" | "reload_refused" | "service_down" | "route_quarantined")
  | ("server_errors" | "node_out" | "node_failing" | "spool_filling" | "log_entries_dropped")
  | ("certificate_expires" | "findings" | PluginAttention["kind"]);

export interface Attention extends Omit<PluginAttention, "kind"> {
  kind: AttentionKind;
  /** Number of items of this kind; only the most important ones are listed. */
  of: number;
}

/** Maximum items of one kind: a network outage may affect thousands of nodes. */
const MAX_OF_A_KIND = 10;

/** Order within one severity: data loss, not serving, failing, filling up, upcoming. */
const ORDER: Readonly<Partial<Record<AttentionKind, number>>> = {
  log_entries_dropped: 0,
  ...{ not_ready: 1, service_down: 1, route_quarantined: 1 },
  ...{ spool_filling: 3, certificate_expires: 4, findings: 5 },
};
/** Rank of failing nodes, responses and reloads, and of items of plugins. */
const FAILS = 2;

function inOrder(all: readonly Omit<Attention, "of">[]): Attention[] {
  const kinds = new Map<AttentionKind, Omit<Attention, "of">[]>();
  for (const one of all) {
    const known = kinds.get(one.kind);
    if (known) known.push(one);
    else kinds.set(one.kind, [one]);
  }
  const weight = (one: Omit<Attention, "of">): number =>
    (one.severity === "error" ? 0 : 10) + (ORDER[one.kind] ?? FAILS);
  const groups = Array.from(kinds.values(), (items) =>
    [...items].sort((a, b) => weight(a) - weight(b)).slice(0, MAX_OF_A_KIND),
  );
  const first = (group: readonly Omit<Attention, "of">[]) => (group[0] ? weight(group[0]) : 0);
  return groups
    .sort((a, b) => first(a) - first(b))
    .flat()
    .map((one) => ({ ...one, of: kinds.get(one.kind)?.length ?? 1 }));
}
