import { type Alert, BEGINS, each, GATEWAY, GROWS, stays } from "./alert.js";
import { grew, maxBy, rate, series, sumBy } from "./query.js";

const instance = GATEWAY;
const to = { destination: "syslog", address: "logs:514" };
const TO = ["instance", "destination", "address"];

const OF_STREAMS = { by: ["instance", "destination"], window: "10m" };
const STREAM_FAILED = grew("gw_log_connections_failed_total", OF_STREAMS);
const SYSLOG_FAILED = grew("gw_syslog_connections_failed_total", OF_STREAMS);

/** Records of requests and the access log. */
export const LOG_ALERTS: readonly Alert[] = [
  {
    name: "GwcLogEntriesDropped",
    severity: "critical",
    expr: grew("gw_log_entries_dropped_total", { by: ["instance", "name", "reason"], window: "10m" }),
    for: "0s",
    summary: "Logger {{ $labels.name }} of {{ $labels.instance }} lost records: {{ $labels.reason }}.",
    means:
      "`buffer_overflow`, `max_retry_count`: the destination is slow or away. `full`, `disk`, `drop_oldest`: the spool. `refused`: it will never take them.",
    action:
      "Is the destination up? With `delivery: durable`, records stay on disk instead of being lost. For `refused`, look at the reason in the log.",
    fires: {
      series: {
        [series("gw_log_entries_dropped_total", {
          instance,
          name: "sys logger",
          route_id: "shop",
          reason: "buffer_overflow",
        })]: BEGINS,
      },
      labels: { instance, name: "sys logger", reason: "buffer_overflow" },
    },
  },
  {
    name: "GwcLogDeliveryFails",
    severity: "warning",
    expr: `${sumBy(["instance", "name"], rate(series("gw_log_entries_failed_total"), "5m"))} > 0`,
    for: "10m",
    summary: "Logger {{ $labels.name }} of {{ $labels.instance }} cannot deliver.",
    means: "Tries to send fail; records wait in memory or in the spool, and are not lost yet.",
    action:
      "Check that this machine reaches the destination; `log_batch_failed` in the log has its response. The dashboard *Logs* shows how long the spool lasts.",
    fires: {
      series: {
        [series("gw_log_entries_failed_total", { instance, name: "sys logger", route_id: "shop" })]: each(60),
      },
      labels: { instance, name: "sys logger" },
    },
  },
  {
    name: "GwcSpoolFills",
    severity: "critical",
    expr: `${series("gw_spool_bytes")} > 0.8 * ${series("gw_spool_max_bytes")}`,
    for: "1m",
    summary: "The spool for {{ $labels.address }} at {{ $labels.instance }} is full to 80 %.",
    means:
      "A full spool rejects records or drops the oldest (`on_full`); with `ack: response`, requests are then rejected with 503.",
    action:
      "Bring the destination back: what waits is sent by itself. Else raise `max_bytes` of the spool while the disk has room, and send SIGHUP.",
    fires: {
      series: {
        [series("gw_spool_bytes", { instance, ...to })]: stays(900),
        [series("gw_spool_max_bytes", { instance, ...to })]: stays(1_000),
      },
      labels: { instance, ...to },
    },
  },
  {
    name: "GwcSpoolOld",
    severity: "warning",
    expr: `${maxBy(TO, series("gw_spool_oldest_seconds"))} > 900`,
    for: "5m",
    summary: "Records for {{ $labels.address }} wait at {{ $labels.instance }} for more than 15 minutes.",
    means: "The destination takes nothing, or less than comes.",
    action:
      "As `GwcLogDeliveryFails`. Where it takes less than comes, `gw_spool_bytes` grows slowly: see how long it lasts.",
    fires: {
      series: { [series("gw_spool_oldest_seconds", { instance, ...to })]: stays(3_600) },
      labels: { instance, ...to },
    },
  },
  {
    name: "GwcSpoolEntriesDropped",
    severity: "critical",
    expr: grew("gw_spool_entries_dropped_total", { by: [...TO, "reason"], window: "10m" }),
    for: "0s",
    summary:
      "The spool for {{ $labels.address }} at {{ $labels.instance }} lost records: {{ $labels.reason }}.",
    means:
      "`full`, `drop_oldest`: its bound. `disk`: the disk did not take it. `damaged`: what stood there cannot be read.",
    action: "`disk`, `damaged`: look at the file system (`dmesg`, `df`). Else as `GwcSpoolFills`.",
    fires: {
      series: { [series("gw_spool_entries_dropped_total", { instance, ...to, reason: "disk" })]: GROWS },
      labels: { instance, ...to, reason: "disk" },
    },
  },
  {
    name: "GwcLogConnectionsFailed",
    severity: "warning",
    expr: [STREAM_FAILED, SYSLOG_FAILED].join(" or "),
    for: "0s",
    summary: "Connections of {{ $labels.instance }} to the log server {{ $labels.destination }} broke.",
    means:
      "syslog or tcp-logger with `delivery: memory`: the end of a batch may be lost, and nobody can say how much.",
    action:
      "Was the server restarted, or does something between cut idle connections? `delivery: durable` sends such a batch again.",
    fires: {
      series: { [series("gw_log_connections_failed_total", { instance, destination: "logs:5170" })]: GROWS },
      labels: { instance, destination: "logs:5170" },
    },
  },
  {
    name: "GwcSyslogMessagesCut",
    severity: "warning",
    expr: grew("gw_syslog_truncated_total", { by: ["instance", "destination"], window: "10m" }),
    for: "0s",
    summary: "Messages of {{ $labels.instance }} to {{ $labels.destination }} are longer than a datagram.",
    means: "syslog over udp: they arrive without their end, and are no JSON.",
    action:
      "Use `sock_type: tcp`, leave bodies out, or lower `max_req_body_bytes` and `max_resp_body_bytes`.",
    fires: {
      series: { [series("gw_syslog_truncated_total", { instance, destination: "logs:514" })]: GROWS },
      labels: { instance, destination: "logs:514" },
    },
  },
  {
    name: "GwcLogFileNotRotated",
    severity: "warning",
    expr: grew("gw_log_rotations_failed_total", { by: ["instance", "path"], window: "10m" }),
    for: "0s",
    summary: "{{ $labels.instance }} cannot rename the log file {{ $labels.path }}.",
    means: "file-logger with `max_bytes`: the file is full and is written on, until the disk is full too.",
    action: "`log_file_not_rotated` in the log says why: most often rights in the folder of the file.",
    fires: {
      series: { [series("gw_log_rotations_failed_total", { instance, path: "/var/log/a.log" })]: GROWS },
      labels: { instance, path: "/var/log/a.log" },
    },
  },
  {
    name: "GwcAccessLogDropped",
    severity: "warning",
    expr: grew("gw_access_log_dropped_total", { by: ["instance"], window: "10m" }),
    for: "0s",
    summary: "{{ $labels.instance }} lost lines of its access log.",
    means:
      "The disk, or the reader of standard output, is too slow or does not accept them; no request waits for it.",
    action: "`access_log_failed` in the log; `df`; whether the reader of the container's output runs.",
    fires: { series: { [series("gw_access_log_dropped_total", { instance })]: GROWS }, labels: { instance } },
  },
];

/** The captcha service, and the plugin that asks it. */
export const CAPTCHA_ALERTS: readonly Alert[] = [
  {
    name: "GwcCaptchaDown",
    severity: "critical",
    expr: `${series("gw_captcha_up")} == 0`,
    for: "1m",
    summary: "The captcha of {{ $labels.instance }} does not serve.",
    means:
      "Visitors get no token; routes with the plugin follow their `policy`: reject all requests, or forward all.",
    action:
      "`captcha` in `/status/ready` has the reason (`captcha_refused`): a listener that is taken, a secret or a store that is away.",
    fires: { series: { [series("gw_captcha_up", { instance })]: stays(0) }, labels: { instance } },
  },
  {
    name: "GwcCaptchaUnavailable",
    severity: "critical",
    expr: `${maxBy(["instance", "site_key"], series("gw_captcha_plugin_breaker_open"))} > 0`,
    for: "1m",
    summary: "{{ $labels.instance }} does not reach the captcha service for site key {{ $labels.site_key }}.",
    means: "Calls fail, so none is made for some time. `policy` decides what becomes of requests.",
    action: "Is the service up (`GwcCaptchaDown` there)? Reach `captcha_url` from this machine.",
    fires: {
      series: { [series("gw_captcha_plugin_breaker_open", { instance, site_key: "sk_shop" })]: stays(1) },
      labels: { instance, site_key: "sk_shop" },
    },
  },
  {
    name: "GwcCaptchaUnverified",
    severity: "warning",
    expr: grew("gw_captcha_plugin_requests_total", {
      matchers: { result: "unverified" },
      by: ["instance", "site_key"],
      window: "10m",
    }),
    for: "0s",
    summary: "{{ $labels.instance }} lets requests in without a verdict for {{ $labels.site_key }}.",
    means: "`policy: fail-open`, and the service gave no verdict: bots come in too.",
    action: "As `GwcCaptchaUnavailable`. Under attack set `policy: fail-closed` on the route.",
    fires: {
      series: {
        [series("gw_captcha_plugin_requests_total", { instance, site_key: "sk_shop", result: "unverified" })]:
          GROWS,
      },
      labels: { instance, site_key: "sk_shop" },
    },
  },
  {
    name: "GwcCaptchaMisconfigured",
    severity: "critical",
    expr: grew("gw_captcha_plugin_requests_total", {
      matchers: { result: "misconfigured" },
      by: ["instance", "site_key"],
      window: "10m",
    }),
    for: "0s",
    summary: "The captcha service refuses what {{ $labels.instance }} asks for {{ $labels.site_key }}.",
    means: "The API key is unknown there, or not one of this site key's customer: no token is accepted.",
    action:
      "Compare `site_key` and `api_key` of the plugin with those of the service (`GET /gw/admin/captcha_api_keys`); a key that was revoked must be issued anew.",
    fires: {
      series: {
        [series("gw_captcha_plugin_requests_total", {
          instance,
          site_key: "sk_shop",
          result: "misconfigured",
        })]: GROWS,
      },
      labels: { instance, site_key: "sk_shop" },
    },
  },
  {
    name: "GwcCaptchaUnderAttack",
    severity: "warning",
    expr: `${maxBy(["instance", "site_key"], series("gw_captcha_attack_level"))} >= 2`,
    for: "10m",
    summary: "The site key {{ $labels.site_key }} of {{ $labels.instance }} is under attack.",
    means:
      "Tokens or failures are far above the usual level of this hour: everybody pays more work, networks with many tokens pay tasks and waits.",
    action:
      "*Captcha* shows decisions and prices. Have the backend ask for `details=true` and want more of tokens that were won by `work`; report frauds. No attack, such as a campaign: raise `captcha.price.attack_floor`.",
    fires: {
      series: { [series("gw_captcha_attack_level", { instance, site_key: "sk_shop" })]: stays(2) },
      labels: { instance, site_key: "sk_shop" },
    },
  },
  {
    name: "GwcCaptchaStateFull",
    severity: "warning",
    expr: `${sumBy(["instance", "kind"], `increase(${series("gw_captcha_state_evicted_total")}[15m])`)} > 0`,
    for: "5m",
    summary: "The captcha of {{ $labels.instance }} forgets entries ({{ $labels.kind }}) to make room.",
    means:
      "The number of visitors exceeds the limits, or a client opens sessions in masses: visitors must start again.",
    action:
      "*Captcha* shows decisions and sessions. An attack: raise `pow_bits`, lower `limits.sessions_hard`. Load: more memory in `captcha.limits`.",
    fires: {
      series: { [series("gw_captcha_state_evicted_total", { instance, kind: "session" })]: each(10) },
      labels: { instance, kind: "session" },
    },
  },
  {
    name: "GwcCaptchaClockSkew",
    severity: "warning",
    expr: grew("gw_captcha_clock_skew_total", { by: ["instance"], window: "10m" }),
    for: "0s",
    summary: "Clocks of captcha nodes differ by more than 5 s ({{ $labels.instance }}).",
    means: "Tokens come from the future and are refused.",
    action: "`chronyc tracking` or `timedatectl` on every node.",
    fires: { series: { [series("gw_captcha_clock_skew_total", { instance })]: GROWS }, labels: { instance } },
  },
];
