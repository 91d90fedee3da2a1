import type { Dashboard } from "./dashboard.js";
import {
  choice,
  choiceOf,
  errors,
  GATEWAYS,
  level,
  panel,
  perSecond,
  quantileBy,
  quantiles,
  since,
  stacked,
  top,
  wide,
} from "./panels.js";

const ROUTE = { route: "=~$route" } as const;

export const ROUTES: Dashboard = {
  id: "route",
  title: "Route",
  variables: [...GATEWAYS, choice("route", "Route", "gw_http_status")],
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
  variables: [...GATEWAYS, choiceOf("upstream", "Upstream", "gw_http_latency")],
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
      panel(
        "Last failure",
        "Seconds since, by node and reason.",
        "s",
        since("gw_upstream_node_last_failure_timestamp_seconds", {
          by: ["node", "error"],
          matchers: UPSTREAM,
        }),
      ),
      panel(
        "Last answer",
        "Seconds since, by node.",
        "s",
        since("gw_upstream_node_last_answer_timestamp_seconds", { by: ["node"], matchers: UPSTREAM }),
      ),
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
