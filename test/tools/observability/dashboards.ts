import type { Dashboard } from "./dashboard.js";
import {
  choice,
  HERE,
  INSTANCE,
  level,
  panel,
  perSecond,
  quantileBy,
  quantiles,
  spent,
  stacked,
  stat,
  top,
  WINDOW,
  wide,
} from "./panels.js";
import { rate, series, sumBy } from "./query.js";
import { ALERTS } from "./rules.js";

const errors = (by: string[], route: { route?: string } = {}) => {
  const of = (code: { code?: string }) =>
    sumBy(by, rate(series("gw_http_status", { ...code, ...route, ...HERE }), WINDOW));
  return {
    expr: `${of({ code: "=~5.." })} / ${of({})}`,
    legend: by.map((label) => `{{${label}}}`).join(" "),
  };
};

export const OVERVIEW: Dashboard = {
  id: "overview",
  title: "Overview",
  variables: [INSTANCE],
  rows: {
    "How it is": [
      stat("Ready", "Gateways that are ready.", "short", level("gw_ready")),
      stat("Workers", "Workers that are connected.", "short", level("gw_workers")),
      stat("Requests", "Requests a second.", "reqps", perSecond("gw_http_requests_total")),
      stat("Errors", "Share of answers with 5xx.", "percentunit", { ...errors([]), legend: "5xx" }),
      stat("Connections", "Open client connections.", "short", level("gw_http_current_connections")),
      stat("Nodes out", "Nodes that a worker leaves out.", "short", {
        expr: `count(${series("gw_upstream_node_state", { state: "=~ejected|half_open", ...HERE })} > 0) or vector(0)`,
        legend: "nodes",
      }),
      {
        ...panel("Alerts that fire", "Of the rules in alerts.yaml.", "short", {
          expr: `sum by (alertname, severity) (ALERTS{alertstate="firing", alertname=~"${ALERTS.map(({ name }) => name).join("|")}"})`,
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
        "A second; refused: a worker was full.",
        "ops",
        perSecond("gw_http_connections_total", { by: ["outcome"] }),
      ),
      panel(
        "TLS handshakes",
        "A second, by what became of them.",
        "ops",
        perSecond("gw_tls_handshakes_total", { by: ["outcome"] }),
      ),
      panel("Certificates", "Time to the end of each.", "s", {
        expr: `${series("gw_ssl_expiry_timestamp_seconds", HERE)} - time()`,
        legend: "{{ssl}} {{instance}}",
      }),
    ],
    Processes: [
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
        level("gw_held_routes", { legend: "held routes" }),
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
      panel("Last change", "Time since the last one that took effect.", "s", {
        expr: `time() - ${series("gw_config_last_write_timestamp_seconds", HERE)}`,
        legend: "{{instance}}",
      }),
      panel(
        "Compile time",
        "95 of 100 are below.",
        "s",
        quantileBy(0.95, "gw_config_compile_seconds", ["work"]),
      ),
      panel(
        "Folded series",
        "Times a second that labels became (overflow).",
        "ops",
        perSecond("gw_metrics_folded_total", { by: ["metric"] }),
      ),
    ],
  },
};

const ROUTE = { route: "=~$route" } as const;

export const ROUTES: Dashboard = {
  id: "route",
  title: "Route",
  variables: [INSTANCE, choice("route", "Route", "gw_http_status")],
  rows: {
    Answers: [
      stacked(
        wide(
          panel(
            "Answers by status",
            "Answers a second.",
            "reqps",
            perSecond("gw_http_status", { by: ["code"], matchers: ROUTE }),
          ),
        ),
      ),
      wide(panel("Errors", "Share of answers with 5xx.", "percentunit", errors(["route"], ROUTE))),
      wide(
        panel(
          "By consumer",
          "Answers a second, the ten that ask most.",
          "reqps",
          top(perSecond("gw_http_status", { by: ["consumer"], matchers: ROUTE })),
        ),
      ),
      wide(
        panel(
          "By pattern",
          "Answers a second.",
          "reqps",
          top(perSecond("gw_http_status", { by: ["matched_host", "matched_uri"], matchers: ROUTE })),
        ),
      ),
    ],
    Latency: [
      panel(
        "In all",
        "Of whole requests.",
        "ms",
        ...quantiles("gw_http_latency", { type: "request", ...ROUTE }),
      ),
      panel(
        "Of the upstream",
        "All attempts.",
        "ms",
        ...quantiles("gw_http_latency", { type: "upstream", ...ROUTE }),
      ),
      panel(
        "Of the gateway itself",
        "Without upstreams.",
        "ms",
        ...quantiles("gw_http_latency", { type: "gw", ...ROUTE }),
      ),
      wide(
        panel(
          "p99 by route",
          "Of whole requests, the ten slowest.",
          "ms",
          top(quantileBy(0.99, "gw_http_latency", ["route"], { type: "request", ...ROUTE })),
        ),
      ),
      wide(
        panel(
          "p99 by node",
          "Of the upstream's part, the ten slowest.",
          "ms",
          top(quantileBy(0.99, "gw_http_latency", ["upstream", "node"], { type: "upstream", ...ROUTE })),
        ),
      ),
    ],
    Bytes: [
      wide(
        panel(
          "Received",
          "From clients, a second.",
          "Bps",
          perSecond("gw_bandwidth", { by: ["route"], matchers: { type: "ingress", ...ROUTE } }),
        ),
      ),
      wide(
        panel(
          "Sent",
          "To clients, a second.",
          "Bps",
          perSecond("gw_bandwidth", { by: ["route"], matchers: { type: "egress", ...ROUTE } }),
        ),
      ),
    ],
  },
};

const UPSTREAM = { upstream: "=~$upstream" } as const;

export const UPSTREAMS: Dashboard = {
  id: "upstream",
  title: "Upstream",
  variables: [INSTANCE, choice("upstream", "Upstream", "gw_http_latency")],
  rows: {
    Latency: [
      panel(
        "Latency",
        "Of all attempts of a request.",
        "ms",
        ...quantiles("gw_http_latency", { type: "upstream", ...UPSTREAM }),
      ),
      panel(
        "p99 by upstream",
        "The ten slowest.",
        "ms",
        top(quantileBy(0.99, "gw_http_latency", ["upstream"], { type: "upstream", ...UPSTREAM })),
      ),
      panel(
        "p99 by node",
        "The ten slowest.",
        "ms",
        top(quantileBy(0.99, "gw_http_latency", ["upstream", "node"], { type: "upstream", ...UPSTREAM })),
      ),
    ],
    Failures: [
      panel(
        "Failed attempts",
        "A second, by kind.",
        "ops",
        perSecond("gw_upstream_failures_total", { by: ["upstream", "failure"], matchers: UPSTREAM }),
      ),
      panel(
        "Further attempts",
        "A second.",
        "ops",
        perSecond("gw_upstream_retries_total", { by: ["upstream"], matchers: UPSTREAM }),
      ),
      panel(
        "Attempts not allowed",
        "The retry budget was used up.",
        "ops",
        perSecond("gw_upstream_retries_denied_total", { by: ["upstream"], matchers: UPSTREAM }),
      ),
    ],
    Nodes: [
      panel(
        "Workers by what they see",
        "Of nodes that have failed.",
        "short",
        level("gw_upstream_node_state", {
          by: ["node", "state"],
          matchers: { state: "!=healthy", ...UPSTREAM },
        }),
      ),
      panel(
        "Counted failures",
        "A second, by node and kind.",
        "ops",
        perSecond("gw_upstream_node_failures_total", { by: ["node", "reason"], matchers: UPSTREAM }),
      ),
      panel(
        "Put out",
        "A second.",
        "ops",
        perSecond("gw_upstream_node_ejections_total", { by: ["node", "reason"], matchers: UPSTREAM }),
      ),
      panel(
        "Kept in",
        "Too many others were out, a second.",
        "ops",
        perSecond("gw_upstream_node_ejections_denied_total", { by: ["node", "reason"], matchers: UPSTREAM }),
      ),
    ],
    "Nodes that have failed": [
      panel("Last failure", "Seconds since, by node and reason.", "s", {
        expr: `time() - ${series("gw_upstream_node_last_failure_timestamp_seconds", UPSTREAM)}`,
        legend: "{{node}} {{error}}",
      }),
      panel("Last answer", "Seconds since, by node.", "s", {
        expr: `time() - ${series("gw_upstream_node_last_answer_timestamp_seconds", UPSTREAM)}`,
        legend: "{{node}}",
      }),
    ],
    Pools: [
      panel("Connections", "Of all nodes.", "short", level("gw_upstream_connections", { by: ["state"] })),
      panel(
        "Most connections",
        "The ten nodes with most.",
        "short",
        top(level("gw_upstream_connections", { by: ["node"] })),
      ),
      panel(
        "New connections",
        "A second; many mean that few are kept.",
        "ops",
        perSecond("gw_upstream_connections_opened_total"),
      ),
    ],
  },
};
