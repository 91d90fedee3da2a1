import { PROCESS_FAMILIES } from "./process-families.js";

/**
 * Every family of metrics that gwc exports. Dashboards and alert rules are made of this table alone; a test holds its names and
 * helps against the sources, another its types and labels against a gateway that runs.
 */
export interface Family {
  type: "counter" | "gauge" | "histogram";
  help: string;
  labels: readonly string[];
}

const family =
  <const T extends Family["type"]>(type: T) =>
  <const L extends readonly string[]>(help: string, ...labels: L): { type: T; help: string; labels: L } => ({
    type,
    help,
    labels,
  });
const counter = family("counter");
const gauge = family("gauge");
const histogram = family("histogram");

const DESTINATION = ["destination", "address"] as const;
const LOGGER = ["name", "route_id"] as const;

export const FAMILIES = {
  gw_http_status: counter(
    "Responses by status.",
    ...(["code", "matched_uri", "matched_host", "route", "service", "consumer", "node"] as const),
  ),
  gw_http_latency: histogram(
    "Latency of requests in milliseconds: in total, of the upstream, and of the gateway.",
    ...(["type", "route", "service", "consumer", "node", "upstream"] as const),
  ),
  gw_bandwidth: counter(
    "Bytes received from and sent to clients, heads included.",
    ...(["type", "route", "service", "consumer", "node"] as const),
  ),
  gw_http_requests_total: counter("Requests since the start."),
  gw_http_current_requests: gauge("Requests in flight."),
  gw_http_current_connections: gauge("Client connections.", "state"),
  gw_http_connections_total: counter("Client connections that were accepted.", "outcome"),
  gw_buffered_body_bytes: gauge("Bytes of bodies buffered for filters and logs."),
  gw_tls_handshakes_total: counter("TLS handshakes of clients by result.", "outcome"),
  gw_ssl_expiry_timestamp_seconds: gauge(
    "Earliest expiry of the certificates of an ssl resource, in Unix time.",
    "ssl",
  ),
  gw_upstream_failures_total: counter("Failed attempts at upstream nodes.", "upstream", "failure"),
  gw_upstream_retries_total: counter("Retries at another node.", "upstream"),
  gw_upstream_retries_denied_total: counter("Retries that the retry budget did not allow.", "upstream"),
  gw_upstream_node_state: gauge(
    "Workers that see the node in this state, only for nodes that have failed.",
    ...(["upstream", "node", "state"] as const),
  ),
  gw_upstream_node_failures_total: counter(
    "Attempts that counted as failures of the node.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_node_last_failure_timestamp_seconds: gauge(
    "Time of the last failed attempt at the node, by error.",
    ...(["upstream", "node", "error"] as const),
  ),
  gw_upstream_node_last_answer_timestamp_seconds: gauge(
    "Time of the last response of a node that has failed.",
    ...(["upstream", "node"] as const),
  ),
  gw_upstream_node_ejections_total: counter(
    "Ejections of the node.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_node_ejections_denied_total: counter(
    "Suppressed ejections of the node, because too many other nodes were ejected.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_connections: gauge(
    "Connections to a node, idle or busy; connecting ones count as busy.",
    ...(["node", "state"] as const),
  ),
  gw_upstream_connections_opened_total: counter("Connections opened to nodes."),
  gw_event_loop_lag_seconds: gauge("Longest pause of a worker's event loop since the last report.", "worker"),
  gw_event_loop_paused_reports_total: counter(
    "Reports of workers with a pause of their event loop above 50 ms.",
    "worker",
  ),
  gw_gc_pause_seconds: histogram("Pauses for garbage collection, in seconds.", "kind"),
  gw_metrics_folded_total: counter(
    "Series that are counted in (overflow), because their metric has too many series.",
    "metric",
  ),
  gw_access_log_dropped_total: counter(
    "Lines of the access log that were dropped because its disk or its reader did not accept them.",
  ),
  gw_batch_process_entries: gauge(
    "Log entries in the buffer of a batch processor.",
    ...LOGGER,
    "server_addr",
  ),
  gw_log_entries_pushed_total: counter("Log entries made by a logger.", ...LOGGER),
  gw_log_entries_sent_total: counter("Log entries delivered to the destination.", ...LOGGER),
  gw_log_entries_spooled_total: counter(
    "Log entries written to disk for delivery by the shipper.",
    ...LOGGER,
  ),
  gw_log_entries_recovered_total: counter(
    "Log entries that were in a spool at the start of the gateway.",
    ...LOGGER,
  ),
  gw_log_entries_failed_total: counter(
    "Log entries in failed delivery attempts, counted once for each attempt.",
    ...LOGGER,
  ),
  gw_log_entries_retried_total: counter(
    "Log entries sent again, counted once for each attempt after the first.",
    ...LOGGER,
  ),
  gw_log_entries_dropped_total: counter(
    "Log entries that were not delivered, by reason.",
    ...LOGGER,
    "reason",
  ),
  gw_log_bytes_sent_total: counter("Bytes of the log entries delivered to the destination.", ...LOGGER),
  gw_log_pending_entries: gauge(
    "Log entries that are neither sent nor dropped: in memory, or with delivery: durable in the spool.",
    "name",
  ),
  gw_log_pending_bytes: gauge("Bytes of these log entries.", "name"),
  gw_log_flush_seconds: histogram("Duration of one delivery attempt of a batch.", "name"),
  gw_log_rotations_failed_total: counter(
    "Failed renames of a full log file, which is still written to.",
    "path",
  ),
  gw_log_connections_failed_total: counter(
    "Connections to log servers that failed after a batch was written; its end may be lost.",
    "destination",
  ),
  gw_syslog_connections_failed_total: counter(
    "Connections to syslog servers that failed after a batch was written; its end may be lost.",
    "destination",
  ),
  gw_syslog_truncated_total: counter("Syslog messages truncated to the size of a datagram.", "destination"),
  gw_spool_entries: gauge(
    "Log entries in the spool of a destination that are not delivered yet.",
    ...DESTINATION,
  ),
  gw_spool_bytes: gauge("Bytes in the spool of a destination that are not delivered yet.", ...DESTINATION),
  gw_spool_max_bytes: gauge("Maximum size of the spool in bytes.", ...DESTINATION),
  gw_spool_segments: gauge("Files in the spool of a destination.", ...DESTINATION),
  gw_spool_oldest_seconds: gauge(
    "Age of the oldest undelivered log entry in the spool of a destination.",
    ...DESTINATION,
  ),
  gw_spool_waiting_bytes: gauge("Bytes of log entries that are queued for the disk.", ...DESTINATION),
  gw_spool_shipper_epoch: gauge("Epoch of the process that delivers to a destination.", ...DESTINATION),
  gw_spool_entries_appended_total: counter("Log entries written to disk.", ...DESTINATION),
  gw_spool_entries_shipped_total: counter(
    "Spooled log entries delivered to the destination.",
    ...DESTINATION,
  ),
  gw_spool_entries_dropped_total: counter(
    "Log entries that the spool rejected or dropped, by reason.",
    ...DESTINATION,
    "reason",
  ),
  gw_spool_batches_retried_total: counter(
    "Failed delivery attempts of batches of the spool.",
    ...DESTINATION,
  ),
  gw_build_info: gauge("Version of the gateway; always 1.", "version", "abi", "node"),
  gw_generation: gauge("Number of the committed generation."),
  gw_worker_generation: gauge("Number of the generation that a worker serves.", "worker"),
  gw_workers: gauge("Workers connected to control."),
  gw_workers_expected: gauge("Number of workers that the gateway needs to be ready."),
  gw_ready: gauge("1 if /status/ready returns 200."),
  gw_warnings: gauge("1 while /status/ready has a warning of this code.", "code"),
  gw_quarantined_routes: gauge("Routes that return 503 because their code stalled a worker."),
  gw_worker_stalls_total: counter(
    "Workers that were replaced because they stalled, since the start of control.",
    "reason",
  ),
  gw_config_writes_total: counter(
    "Changes of the configuration by outcome, since the start of control.",
    "outcome",
  ),
  gw_config_last_write_timestamp_seconds: gauge(
    "Unix time of the last activated change of the configuration.",
  ),
  gw_config_last_reload_successful: gauge("1 if the last reload of files or of a build succeeded."),
  gw_config_compile_seconds: histogram(
    "Duration of a compile: all of the configuration at a start, a change, or a reload.",
    "work",
  ),
  gw_captcha_up: gauge("1 while the captcha serves the current configuration."),
  gw_captcha_connections: gauge("Open connections of the captcha."),
  gw_captcha_plugin_requests_total: counter(
    "Requests that needed a captcha token, by result",
    "site_key",
    "result",
  ),
  gw_captcha_plugin_failures_total: counter("Calls of the captcha service without a verdict", "site_key"),
  gw_captcha_plugin_verify_seconds: histogram(
    "Duration of calls of the captcha service in seconds",
    "site_key",
  ),
  gw_captcha_plugin_last_failure_timestamp_seconds: gauge(
    "Time of the last request without a verdict, until the captcha service returns one again",
    ...(["site_key", "route", "url", "error"] as const),
  ),
  gw_captcha_plugin_breaker_open: gauge(
    "Workers that do not call the captcha service, because it failed",
    "site_key",
  ),
  gw_captcha_decisions_total: counter(
    "Decisions: token, task, again (answer wrong, late or bot-like), shadow, refused.",
    "site_key",
    "decision",
  ),
  gw_captcha_tasks_total: counter("Answered tasks.", "type", "outcome"),
  gw_captcha_tasks_ready: gauge("Prepared tasks.", "type"),
  gw_captcha_task_render_seconds: histogram("Time to draw a task.", "type"),
  gw_captcha_task_substitutes_total: counter(
    "Tasks of another kind than requested, because the requested kind was not ready in time.",
  ),
  gw_captcha_task_thread_ends_total: counter("Exits of the thread that draws tasks."),
  gw_captcha_score: histogram("Scores at the tick; 1 is a bot."),
  gw_captcha_solve_seconds: histogram("Time from the tick to a token that required a task, in seconds."),
  gw_captcha_verifications_total: counter(
    "Verifications: success, or why not (reference 5.4).",
    "site_key",
    "result",
  ),
  gw_captcha_verify_seconds: histogram("Time of verifications."),
  gw_captcha_verify_refused_total: counter("Verification requests from unknown callers.", "reason"),
  gw_captcha_clock_skew_total: counter(
    "Verified tokens from the future: clocks of nodes differ by more than 5 s.",
  ),
  gw_captcha_api_key_last_used_timestamp_seconds: gauge(
    "When an API key was last used, epoch seconds.",
    "key",
  ),
  gw_captcha_api_answers_total: counter("Answers of the frame API.", "call", "outcome"),
  gw_captcha_prices_total: counter("Ticks by price: free, work, task, wait.", "price"),
  gw_captcha_attack_level: gauge(
    "Price increase of a site key because of an attack, from 0 to 3.",
    "site_key",
  ),
  gw_captcha_feedback_total: counter("Reports of backends on visitors.", "site_key", "verdict"),
  gw_captcha_state_entries: gauge("Open sessions, answers of tasks, pictures and sound.", "kind"),
  gw_captcha_state_bytes: gauge("Size of these in bytes, as the limits count it.", "kind"),
  gw_captcha_state_evicted_total: counter("Evicted entries since the start.", "kind"),
} as const satisfies Record<string, Family>;

/** With those that each process has. */
export const ALL_FAMILIES = { ...FAMILIES, ...PROCESS_FAMILIES } as const;

export type Name = keyof typeof ALL_FAMILIES;
export type LabelOf<N extends Name> = (typeof ALL_FAMILIES)[N]["labels"][number];
export type NameOf<T extends Family["type"]> = {
  [N in Name]: (typeof ALL_FAMILIES)[N]["type"] extends T ? N : never;
}[Name];
