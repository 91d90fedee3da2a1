import { type Alert, BEGINS, each, GATEWAY, GROWS, stays } from "./alert.js";
import { grew, maxBy, part, rate, series, sumBy } from "./query.js";

const instance = GATEWAY;
const DAY = 86_400;

/** The processes, their configuration and the machine. */
export const GATEWAY_ALERTS: readonly Alert[] = [
  {
    name: "GwcDown",
    severity: "critical",
    expr: 'up{job="gwc"} == 0',
    for: "1m",
    summary: "{{ $labels.instance }} does not answer Prometheus.",
    means: "The page of metrics cannot be read. Workers may serve on: they do not make the page.",
    action:
      "Ask the gateway itself (`curl` of a route, `/status/ready`). When both are silent, look whether the launcher runs (`systemctl status`, the container) and at the end of its log.",
    fires: {
      series: { [`up{job="gwc",instance="${GATEWAY}"}`]: stays(0) },
      labels: { instance, job: "gwc" },
    },
  },
  {
    name: "GwcNotReady",
    severity: "critical",
    expr: `${series("gw_ready")} == 0`,
    for: "1m",
    summary: "{{ $labels.instance }} is not ready.",
    means: "`/status/ready` answers 503, since no worker serves; a balancer in front sends it nothing.",
    action:
      "`curl /status/ready`: `reasons` names what is missing, the log says why workers end (`child_ended`).",
    fires: { series: { [series("gw_ready", { instance })]: stays(0) }, labels: { instance } },
  },
  {
    name: "GwcLastKnownGood",
    severity: "critical",
    expr: `${series("gw_warnings", { code: "last_known_good" })} == 1`,
    for: "1m",
    summary: "{{ $labels.instance }} does not run what is configured.",
    means:
      "At its start the configuration could not run. The last good generation serves in its place, and writes are rejected.",
    action:
      "`warnings` in `/status/ready` says why. Mend the files or the store that it names, and send SIGHUP.",
    fires: {
      series: { [series("gw_warnings", { instance, code: "last_known_good" })]: stays(1) },
      labels: { instance, code: "last_known_good" },
    },
  },
  {
    name: "GwcControlMissing",
    severity: "warning",
    expr: `${series("gw_warnings", { code: "control_missing" })} == 1`,
    for: "2m",
    summary: "{{ $labels.instance }} serves without control.",
    means:
      "Requests are served. There is no admin API, no reload and no other metric, and a worker that ends cannot be replaced.",
    action:
      "`warnings` in `/status/ready` names the stage that control is in. `child_ended` and `start_refused` in the log say why it starts again and again.",
    fires: {
      series: { [series("gw_warnings", { instance, code: "control_missing" })]: stays(1) },
      labels: { instance, code: "control_missing" },
    },
  },
  {
    name: "GwcWorkersMissing",
    severity: "warning",
    expr: `${series("gw_workers")} < ${series("gw_workers_expected")}`,
    for: "2m",
    summary: "{{ $labels.instance }} has fewer workers than it should.",
    means: "A worker ends again and again, or does not start.",
    action:
      "The log says why workers end (`child_ended`, `worker_stalled`, out of memory in `dmesg`). The others carry the load: watch their event loops.",
    fires: {
      series: {
        [series("gw_workers", { instance })]: stays(1),
        [series("gw_workers_expected", { instance })]: stays(2),
      },
      labels: { instance },
    },
  },
  {
    name: "GwcWorkerBehind",
    severity: "warning",
    expr: `${series("gw_worker_generation")} < on (instance, job) group_left () ${series("gw_generation")}`,
    for: "2m",
    summary: "Worker {{ $labels.worker }} of {{ $labels.instance }} serves an old generation.",
    means: "A change is committed, and one worker still serves what was before.",
    action:
      "Look for `worker_late` and `worker_message_failed` in the log. Ending that worker's process is safe: the launcher starts another with the committed generation.",
    fires: {
      series: {
        [series("gw_worker_generation", { instance, worker: "1" })]: stays(4),
        [series("gw_generation", { instance })]: stays(5),
      },
      labels: { instance, worker: "1" },
    },
  },
  {
    name: "GwcWorkerStalled",
    severity: "warning",
    expr: grew("gw_worker_stalls_total", { by: ["instance", "reason"], window: "10m" }),
    for: "0s",
    summary: "A worker of {{ $labels.instance }} was replaced: {{ $labels.reason }}.",
    means:
      "`held`: code of a route blocked the event loop for a second. `silent`: the process sent no liveness signal, it was stopped or the machine froze.",
    action:
      "`worker_stalled` in the log names route and part. `held`: change that route (`gwc check --explain` shows dear patterns). `silent`: find who stops processes, or why the machine swaps.",
    fires: {
      series: { [series("gw_worker_stalls_total", { instance, reason: "held" })]: GROWS },
      labels: { instance, reason: "held" },
    },
  },
  {
    name: "GwcRouteQuarantined",
    severity: "critical",
    expr: `${series("gw_quarantined_routes")} > 0`,
    for: "0s",
    summary: "{{ $labels.instance }} returns 503 for a route, since its code stalled a worker.",
    means: "The route is kept from stalling workers again, for 10 s at first, up to 5 minutes.",
    action:
      "`quarantined_routes` in `/status/ready` names the route. Change its pattern or condition; the change ends the quarantine.",
    fires: { series: { [series("gw_quarantined_routes", { instance })]: stays(1) }, labels: { instance } },
  },
  {
    name: "GwcEventLoopLag",
    severity: "warning",
    expr: `${maxBy(["instance", "worker"], series("gw_event_loop_lag_seconds"))} > 0.25`,
    for: "5m",
    summary:
      "The event loop of worker {{ $labels.worker }} of {{ $labels.instance }} pauses again and again.",
    means:
      "Between any two looks of Prometheus there was a pause above a quarter of a second; all requests of the worker waited.",
    action:
      "Is the processor full (`top`)? Then more machines or workers. Else look for long filters (`gw_buffered_body_bytes`), large heaps (`GwcGarbage`) and dear patterns of the routes changed last.",
    fires: {
      series: { [series("gw_event_loop_lag_seconds", { instance, worker: "0" })]: stays(0.4) },
      labels: { instance, worker: "0" },
    },
  },
  {
    name: "GwcGarbage",
    severity: "warning",
    expr: `${sumBy(["instance"], rate(part("gw_gc_pause_seconds", "sum"), "5m"))} > on (instance) 0.1 * ${series("gw_workers")}`,
    for: "10m",
    summary: "Workers of {{ $labels.instance }} spend a tenth of their time collecting garbage.",
    means: "The heap is nearly full, or far more is allocated than usual.",
    action:
      "Look at the memory of the workers and at `gw_buffered_body_bytes`. Fewer held bodies (`gw.limits`), more memory, or a restart of one worker after the other bring relief.",
    fires: {
      series: {
        [part("gw_gc_pause_seconds", "sum", { instance, kind: "major" })]: each(20),
        [series("gw_workers", { instance })]: stays(2),
      },
      labels: { instance },
    },
  },
  {
    name: "GwcReloadFailed",
    severity: "warning",
    expr: `${series("gw_config_last_reload_successful")} == 0`,
    for: "1m",
    summary: "The last reload of {{ $labels.instance }} was refused.",
    means:
      "The files do not compile, or a worker would not load them. What ran before still runs; a restart would begin with these files.",
    action:
      "`last_reload` in `/status/ready` has the reason, the log the findings. Do not restart. Mend the files or take the change back, send SIGHUP.",
    fires: {
      series: { [series("gw_config_last_reload_successful", { instance })]: stays(0) },
      labels: { instance },
    },
  },
  {
    name: "GwcWritesFail",
    severity: "critical",
    // A control whose store fails ends, and its counters with it: the next one knows by the warning.
    expr: `${grew("gw_config_writes_total", { matchers: { outcome: "failed" }, by: ["instance"], window: "10m" })} or ${maxBy(["instance"], series("gw_warnings", { code: "write_failed" }))} > 0`,
    for: "0s",
    summary: "{{ $labels.instance }} could not store a change of its configuration.",
    means:
      "The store or the compiler could not take a write (503); traffic goes on with the generation before.",
    action:
      "Space on the disk of `deployment.store.path`, and `write_not_stored` in the log. Write once more when it is mended.",
    fires: {
      series: { [series("gw_config_writes_total", { instance, outcome: "failed" })]: GROWS },
      labels: { instance },
    },
  },
  {
    name: "GwcCertificateExpires",
    severity: "warning",
    expr: `${series("gw_ssl_expiry_timestamp_seconds")} - time() < ${14 * DAY}`,
    for: "1h",
    summary: "A certificate of ssl {{ $labels.ssl }} at {{ $labels.instance }} expires within 14 days.",
    means: "Whatever renews it did not.",
    action:
      "Nothing tonight. By day: look at the renewal, then put the new certificate into the ssl resource, or send SIGHUP where it is a file.",
    fires: {
      series: { [series("gw_ssl_expiry_timestamp_seconds", { instance, ssl: "shop" })]: stays(10 * DAY) },
      labels: { instance, ssl: "shop" },
    },
  },
  {
    name: "GwcCertificateExpiresNow",
    severity: "critical",
    expr: `${series("gw_ssl_expiry_timestamp_seconds")} - time() < ${2 * DAY}`,
    for: "0s",
    summary:
      "A certificate of ssl {{ $labels.ssl }} at {{ $labels.instance }} expires within two days, or has.",
    means: "Clients refuse the connection from then on.",
    action:
      "Issue the certificate by hand and put it into the ssl resource; it is in use as soon as the write succeeds.",
    fires: {
      series: { [series("gw_ssl_expiry_timestamp_seconds", { instance, ssl: "shop" })]: stays(DAY) },
      labels: { instance, ssl: "shop" },
    },
  },
  {
    name: "GwcMetricsFolded",
    severity: "info",
    expr: grew("gw_metrics_folded_total", { by: ["instance", "metric"], window: "1h" }),
    for: "0s",
    summary: "{{ $labels.metric }} of {{ $labels.instance }} has more series than it may have.",
    means:
      "Further routes, consumers or nodes are counted together as `(overflow)`. Sums are right, dashboards by route are not whole.",
    action:
      "Nothing tonight. By day: see which label grew; consumers and nodes behind one route are the usual ones. `plugin_attr.prometheus.series_limit` makes room, `drop_labels` leaves labels out; `metric_folded` in the log has the limit.",
    fires: {
      series: { [series("gw_metrics_folded_total", { instance, metric: "gw_http_status" })]: BEGINS },
      labels: { instance, metric: "gw_http_status" },
    },
  },
];
