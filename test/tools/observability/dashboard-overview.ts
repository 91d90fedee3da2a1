import type { Dashboard } from "./dashboard.js";
import {
  coloured,
  errors,
  GATEWAYS,
  HERE,
  level,
  panel,
  perSecond,
  quantileBy,
  quantiles,
  signed,
  since,
  spent,
  stacked,
  stat,
  top,
  wide,
} from "./panels.js";
import { maxBy, series } from "./query.js";
import { ALERTS } from "./rules.js";

export const OVERVIEW: Dashboard = {
  id: "overview",
  title: "Overview",
  variables: GATEWAYS,
  rows: {
    "How it is": [
      stat("Ready", "Gateways that are ready.", "short", level("gw_ready")),
      stat("Workers", "Workers that are connected.", "short", level("gw_workers")),
      stat("Requests", "Requests a second.", "reqps", perSecond("gw_http_requests_total")),
      coloured(
        stat("Errors", "Share of answers with 5xx.", "percentunit", { ...errors([]), legend: "5xx" }),
        { value: 0.01, color: "yellow" },
        { value: 0.05, color: "red" },
      ),
      stat("Connections", "Open client connections.", "short", level("gw_http_current_connections")),
      coloured(
        stat("Nodes out", "Nodes that a worker leaves out.", "short", {
          expr: `count(${maxBy(["instance", "upstream", "node"], series("gw_upstream_node_state", { state: "=~ejected|half_open", ...HERE }))} > 0) or vector(0)`,
          legend: "nodes",
        }),
        { value: 1, color: "orange" },
      ),
      {
        ...panel("Alerts that fire", "Of the rules in alerts.yaml.", "short", {
          expr: `sum by (alertname, severity) (ALERTS{instance=~"$instance", alertstate="firing", alertname=~"${ALERTS.map(({ name }) => name).join("|")}"})`,
          legend: "{{alertname}} ({{severity}})",
        }),
        as: "table",
        width: 24,
      },
    ],
    Requests: [
      stacked(
        panel(
          "Answers by status",
          "Answers a second.",
          "reqps",
          perSecond("gw_http_status", { by: ["code"] }),
        ),
      ),
      panel("Latency", "Of whole requests.", "ms", ...quantiles("gw_http_latency", { type: "request" })),
      panel(
        "Time of the gateway itself",
        "Without upstreams.",
        "ms",
        ...quantiles("gw_http_latency", { type: "gw" }),
      ),
      panel("Bytes", "From and to clients.", "Bps", perSecond("gw_bandwidth", { by: ["type"] })),
      panel(
        "Under way",
        "Requests, and bodies that are held.",
        "short",
        level("gw_http_current_requests", { legend: "requests" }),
      ),
      panel("Held bodies", "For filters and logs.", "bytes", level("gw_buffered_body_bytes")),
      wide(
        panel(
          "Busiest routes",
          "Answers a second.",
          "reqps",
          top(perSecond("gw_http_status", { by: ["route"] })),
        ),
      ),
      wide(panel("Routes with errors", "Share of answers with 5xx.", "percentunit", top(errors(["route"])))),
    ],
    Connections: [
      panel(
        "Client connections",
        "Open now.",
        "short",
        level("gw_http_current_connections", { by: ["instance"] }),
      ),
      panel(
        "New connections",
        "Per second; refused: a worker was full.",
        "ops",
        perSecond("gw_http_connections_total", { by: ["outcome"] }),
      ),
      panel(
        "TLS handshakes",
        "Per second, by result.",
        "ops",
        perSecond("gw_tls_handshakes_total", { by: ["outcome"] }),
      ),
      signed(
        panel("Certificates", "Time to the end of each; below 0 it has expired.", "s", {
          expr: `${series("gw_ssl_expiry_timestamp_seconds", HERE)} - time()`,
          legend: "{{ssl}} {{instance}}",
        }),
      ),
    ],
    Processes: [
      panel(
        "Memory",
        "Resident, by process: all workers, control and services.",
        "bytes",
        level("process_resident_memory_bytes", { by: ["instance", "process"] }),
      ),
      panel(
        "Processor",
        "Seconds a second, by process; a worker at 1 can do no more.",
        "percentunit",
        perSecond("process_cpu_seconds_total", { by: ["instance", "process"] }),
      ),
      panel("Descriptors", "Open, as a share of what a process may have.", "percentunit", {
        expr: `${series("process_open_fds", HERE)} / ${series("process_max_fds", HERE)}`,
        legend: "{{instance}} {{process}}",
      }),
      panel("Event loop", "Longest pause since the look before.", "s", {
        expr: series("gw_event_loop_lag_seconds", HERE),
        legend: "{{instance}} worker {{worker}}",
      }),
      panel(
        "Long pauses",
        "Looks with a pause above 50 ms, a second.",
        "ops",
        perSecond("gw_event_loop_paused_reports_total", { by: ["instance", "worker"] }),
      ),
      panel(
        "Garbage",
        "Seconds a second, of all workers.",
        "percentunit",
        spent("gw_gc_pause_seconds", { by: ["kind"] }),
      ),
      panel(
        "Pauses for garbage",
        "99 of 100 are below.",
        "s",
        quantileBy(0.99, "gw_gc_pause_seconds", ["kind"]),
      ),
      panel(
        "Stalls",
        "Workers that were replaced, a second.",
        "ops",
        perSecond("gw_worker_stalls_total", { by: ["instance", "reason"] }),
        level("gw_quarantined_routes", { legend: "quarantined routes" }),
      ),
      panel(
        "Generation",
        "Committed, and served by workers.",
        "short",
        { expr: series("gw_generation", HERE), legend: "{{instance}}" },
        { expr: series("gw_worker_generation", HERE), legend: "{{instance}} worker {{worker}}" },
      ),
      panel(
        "Changes",
        "Writes and reloads a second.",
        "ops",
        perSecond("gw_config_writes_total", { by: ["outcome"] }),
      ),
      panel(
        "Last change",
        "Time since the last one that took effect.",
        "s",
        since("gw_config_last_write_timestamp_seconds", { by: ["instance"] }),
      ),
      panel(
        "Compile time",
        "95 of 100 are below.",
        "s",
        quantileBy(0.95, "gw_config_compile_seconds", ["work"]),
      ),
      panel(
        "Folded series",
        "Series a second that became (overflow), each once.",
        "ops",
        perSecond("gw_metrics_folded_total", { by: ["metric"] }),
      ),
    ],
  },
};
