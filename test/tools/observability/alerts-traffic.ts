import { type Alert, each, GATEWAY, GROWS, stays } from "./alert.js";
import { grew, maxBy, part, quantile, rate, series, sumBy } from "./query.js";

const instance = GATEWAY;
const window = "5m";

const errorShare = (by: readonly string[], route?: string) => {
  const own = route === undefined ? {} : { route };
  const errors = sumBy(by, rate(series("gw_http_status", { code: "=~5..", ...own }), window));
  return { errors, all: sumBy(by, rate(series("gw_http_status", own), window)) };
};
const ALL = errorShare(["instance"]);
const ROUTE = errorShare(["instance", "route"], "!=");
const FAILURES = sumBy(["instance", "upstream"], rate(series("gw_upstream_failures_total"), window));
const REQUESTS = sumBy(
  ["instance", "upstream"],
  rate(part("gw_http_latency", "count", { type: "request", upstream: "!=" }), window),
);

const handshakes = (outcome: string) =>
  sumBy(["instance"], rate(series("gw_tls_handshakes_total", { outcome }), window));
const [HANDSHAKES, FAILED_HANDSHAKES] = [handshakes("done"), handshakes("!=done")];

/** Buckets of a latency that is 4 s always, a second's worth of 2 requests. */
const slow = (type: string) => ({
  [part("gw_http_latency", "bucket", { instance, type, le: "2000" })]: stays(0),
  [part("gw_http_latency", "bucket", { instance, type, le: "5000" })]: each(120),
  [part("gw_http_latency", "bucket", { instance, type, le: "+Inf" })]: each(120),
});

/** Requests, clients and upstreams. */
export const TRAFFIC_ALERTS: readonly Alert[] = [
  {
    name: "GwcErrors",
    severity: "critical",
    expr: `${ALL.errors} > 0.05 * ${ALL.all} and ${ALL.errors} > 0.1`,
    for: "5m",
    summary: "More than 5 % of the answers of {{ $labels.instance }} are errors (5xx).",
    means: "Clients see failures, of the upstreams or of the gateway.",
    action:
      "The dashboard *Overview* shows which codes and routes. 502 and 504 come of upstreams (`GwcUpstreamDown`), 503 of full queues and quarantined routes, 500 of a module that failed (`module_failed` in the log). After a change: take it back.",
    fires: {
      series: {
        [series("gw_http_status", { instance, code: "502", route: "shop" })]: each(60),
        [series("gw_http_status", { instance, code: "200", route: "shop" })]: each(600),
      },
      labels: { instance },
    },
  },
  {
    name: "GwcRouteErrors",
    severity: "warning",
    expr: `${ROUTE.errors} > 0.2 * ${ROUTE.all} and ${ROUTE.errors} > 0.1`,
    for: "10m",
    summary:
      "More than 20 % of the responses of route {{ $labels.route }} at {{ $labels.instance }} are errors (5xx).",
    means: "One route fails, whatever the others do.",
    action:
      "The dashboard *Route*: codes tell upstream (502, 504) from gateway (500, 503). `gwc explain-route` says what the route does; call its owner.",
    fires: {
      series: {
        [series("gw_http_status", { instance, code: "500", route: "shop" })]: each(60),
        [series("gw_http_status", { instance, code: "200", route: "shop" })]: each(60),
      },
      labels: { instance, route: "shop" },
    },
  },
  {
    name: "GwcSlow",
    severity: "warning",
    expr: `${quantile(0.99, "gw_http_latency", { matchers: { type: "request" }, by: ["instance"], window })} > 2000`,
    for: "10m",
    summary: "One request of a hundred takes more than 2 s at {{ $labels.instance }}.",
    means: "In total, including upstreams. Routes that are slow by design may need a separate threshold.",
    action: "The dashboard *Upstream* shows whose time it is. When upstreams are fast, see `GwcSlowItself`.",
    fires: { series: slow("request"), labels: { instance } },
  },
  {
    name: "GwcSlowItself",
    severity: "warning",
    expr: `${quantile(0.99, "gw_http_latency", { matchers: { type: "gw" }, by: ["instance"], window })} > 200`,
    for: "10m",
    summary: "{{ $labels.instance }} itself adds more than 200 ms to one request of a hundred.",
    means:
      "The time of the gateway without its upstreams: waiting clients' bodies, filters, a captcha, a full processor.",
    action:
      "Processor, `GwcEventLoopLag`, `GwcGarbage`; then routes with slow clients, with long body filters, or with a captcha that is slow.",
    fires: { series: slow("gw"), labels: { instance } },
  },
  {
    name: "GwcUpstreamDown",
    severity: "critical",
    expr: `${FAILURES} > 0.5 * ${REQUESTS} and ${FAILURES} > 0.05`,
    for: "2m",
    summary: "Most attempts at upstream {{ $labels.upstream }} of {{ $labels.instance }} fail.",
    means: "Connections are refused, reset or time out at most of its nodes.",
    action:
      "The dashboard *Upstream* shows the kind of failure and the nodes; `GET /v1/healthcheck` on the admin port too. Reach a node from this machine (`curl`); then call whoever runs it, or take its nodes out.",
    fires: {
      series: {
        [series("gw_upstream_failures_total", { instance, upstream: "shop", failure: "connect" })]: each(60),
        [part("gw_http_latency", "count", { instance, type: "request", upstream: "shop" })]: each(60),
      },
      labels: { instance, upstream: "shop" },
    },
  },
  {
    name: "GwcNodeOut",
    severity: "warning",
    expr: `${maxBy(["instance", "upstream", "node"], series("gw_upstream_node_state", { state: "=~ejected|half_open" }))} > 0`,
    for: "5m",
    summary:
      "Node {{ $labels.node }} of upstream {{ $labels.upstream }} is ejected by {{ $labels.instance }}.",
    means: "It failed too often in a row; trials have not brought it back.",
    action:
      "`node_ejected` in the log says why. One node: look at it by day. Several: see `GwcUpstreamDown`.",
    fires: {
      series: {
        [series("gw_upstream_node_state", {
          instance,
          upstream: "shop",
          node: "10.0.0.1:80",
          state: "ejected",
        })]: stays(2),
      },
      labels: { instance, upstream: "shop", node: "10.0.0.1:80" },
    },
  },
  {
    name: "GwcRetriesDenied",
    severity: "warning",
    expr: `${sumBy(["instance", "upstream"], rate(series("gw_upstream_retries_denied_total"), window))} > 0.1`,
    for: "5m",
    summary: "The retry budget of upstream {{ $labels.upstream }} at {{ $labels.instance }} is used up.",
    means: "So many attempts fail that further ones would only add load: clients get the failure.",
    action: "As `GwcUpstreamDown`. A larger `retry_budget` makes it worse while the upstream is overloaded.",
    fires: {
      series: { [series("gw_upstream_retries_denied_total", { instance, upstream: "shop" })]: each(60) },
      labels: { instance, upstream: "shop" },
    },
  },
  {
    name: "GwcConnectionsRefused",
    severity: "warning",
    expr: grew("gw_http_connections_total", {
      matchers: { outcome: "refused" },
      by: ["instance"],
      window: "10m",
    }),
    for: "0s",
    summary: "{{ $labels.instance }} turned clients away: a worker had as many connections as it may.",
    means: "`gw.limits.connections` of a worker is reached.",
    action:
      "`gw_http_current_connections` on *Overview*: a slow rise is a leak of a client or an idle timeout that is too long, a jump is load or an attack. More workers, or a higher limit where memory allows.",
    fires: {
      series: { [series("gw_http_connections_total", { instance, outcome: "refused" })]: GROWS },
      labels: { instance },
    },
  },
  {
    name: "GwcHandshakesFail",
    severity: "warning",
    // Without any finished handshake there is no series of them.
    expr: `${FAILED_HANDSHAKES} > 1 and ${FAILED_HANDSHAKES} > (${HANDSHAKES} or 0 * ${FAILED_HANDSHAKES})`,
    for: "10m",
    summary: "More TLS handshakes of {{ $labels.instance }} fail than come to their end.",
    means:
      "`no_certificate`: clients ask for a name that no ssl resource has. `refused`: protocol, cipher or client certificate. `timeout`, `closed`, `foreign`: often scanners.",
    action:
      "*Overview* shows the outcomes. After a change of certificates take it back; scanners are no reason to act.",
    fires: {
      series: {
        [series("gw_tls_handshakes_total", { instance, outcome: "no_certificate" })]: each(300),
      },
      labels: { instance },
    },
  },
];
