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
    "Latency of requests in milliseconds: in all, of the upstream, and of the gateway.",
    ...(["type", "route", "service", "consumer", "node", "upstream"] as const),
  ),
  gw_bandwidth: counter(
    "Bytes received from and sent to clients, heads included.",
    ...(["type", "route", "service", "consumer", "node"] as const),
  ),
  gw_http_requests_total: counter("Requests since the start."),
  gw_http_current_requests: gauge("Requests under way."),
  gw_http_current_connections: gauge("Client connections.", "state"),
  gw_http_connections_total: counter("Clients that connected.", "outcome"),
  gw_buffered_body_bytes: gauge("Bytes of bodies held for filters and logs."),
  gw_tls_handshakes_total: counter("TLS handshakes of clients by what became of them.", "outcome"),
  gw_ssl_expiry_timestamp_seconds: gauge(
    "Unix time at which the first certificate of an ssl resource expires.",
    "ssl",
  ),
  gw_upstream_failures_total: counter("Attempts at upstream nodes that failed.", "upstream", "failure"),
  gw_upstream_retries_total: counter("Further attempts at another node.", "upstream"),
  gw_upstream_retries_denied_total: counter(
    "Further attempts that the retry budget did not allow.",
    "upstream",
  ),
  gw_upstream_node_state: gauge(
    "Workers that see the node in this state; nodes that never failed are left out.",
    ...(["upstream", "node", "state"] as const),
  ),
  gw_upstream_node_failures_total: counter(
    "Attempts that counted against the node.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_node_last_failure_timestamp_seconds: gauge(
    "When an attempt at the node failed last, and of what.",
    ...(["upstream", "node", "error"] as const),
  ),
  gw_upstream_node_last_answer_timestamp_seconds: gauge(
    "When a node that has failed answered last.",
    ...(["upstream", "node"] as const),
  ),
  gw_upstream_node_ejections_total: counter(
    "Times that the node was put out.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_node_ejections_denied_total: counter(
    "Failures for which the node was not put out, since too many others were.",
    ...(["upstream", "node", "reason"] as const),
  ),
  gw_upstream_connections: gauge(
    "Connections to a node that wait for a request, and those that serve one or are being made.",
    ...(["node", "state"] as const),
  ),
  gw_upstream_connections_opened_total: counter("Connections to nodes that were made."),
  gw_event_loop_lag_seconds: gauge("Longest pause of a worker's event loop since the last report.", "worker"),
  gw_event_loop_paused_reports_total: counter(
    "Reports of workers with a pause of their event loop above 50 ms.",
    "worker",
  ),
  gw_gc_pause_seconds: histogram("Pauses for garbage collection, in seconds.", "kind"),
  gw_metrics_folded_total: counter(
    "Series that were not kept apart but folded into (overflow), since their metric has too many.",
    "metric",
  ),
  gw_access_log_dropped_total: counter(
    "Lines of the access log that were dropped: its disk or its reader did not take them.",
  ),
  gw_batch_process_entries: gauge(
    "Log entries that wait in the buffer of a batch processor.",
    ...LOGGER,
    "server_addr",
  ),
  gw_log_entries_pushed_total: counter("Log entries that a logger made.", ...LOGGER),
  gw_log_entries_sent_total: counter("Log entries that the destination has.", ...LOGGER),
  gw_log_entries_spooled_total: counter(
    "Log entries that are on disk, for the shipper to deliver.",
    ...LOGGER,
  ),
  gw_log_entries_recovered_total: counter(
    "Log entries that stood in a spool when the gateway began.",
    ...LOGGER,
  ),
  gw_log_entries_failed_total: counter(
    "Log entries in tries to send that failed, once for each try.",
    ...LOGGER,
  ),
  gw_log_entries_retried_total: counter(
    "Log entries that were sent again, once for each try after the first.",
    ...LOGGER,
  ),
  gw_log_entries_dropped_total: counter(
    "Log entries that were not delivered, by reason.",
    ...LOGGER,
    "reason",
  ),
  gw_log_bytes_sent_total: counter("Bytes of the log entries that the destination has.", ...LOGGER),
  gw_log_pending_entries: gauge(
    "Log entries that are neither sent nor dropped: in memory, or with delivery: durable in the spool.",
    "name",
  ),
  gw_log_pending_bytes: gauge("Bytes of these log entries.", "name"),
  gw_log_flush_seconds: histogram("Time that one try to send a batch took.", "name"),
  gw_log_rotations_failed_total: counter(
    "Times that a log file was full and could not be renamed; it is written on.",
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
  gw_syslog_truncated_total: counter(
    "Syslog messages that were cut because they were longer than a datagram.",
    "destination",
  ),
  gw_spool_entries: gauge(
    "Log entries in the spool of a destination that are not delivered yet.",
    ...DESTINATION,
  ),
  gw_spool_bytes: gauge("Bytes in the spool of a destination that are not delivered yet.", ...DESTINATION),
  gw_spool_max_bytes: gauge("Bytes that the spool may hold.", ...DESTINATION),
  gw_spool_segments: gauge("Files in the spool of a destination.", ...DESTINATION),
  gw_spool_oldest_seconds: gauge("Age of the oldest file with undelivered entries.", ...DESTINATION),
  gw_spool_waiting_bytes: gauge("Bytes of log entries that wait for the disk.", ...DESTINATION),
  gw_spool_shipper_epoch: gauge("Epoch of the process that ships a destination.", ...DESTINATION),
  gw_spool_entries_appended_total: counter("Log entries that were put on disk.", ...DESTINATION),
  gw_spool_entries_shipped_total: counter("Spooled log entries that the destination has.", ...DESTINATION),
  gw_spool_entries_dropped_total: counter(
    "Log entries that the spool did not take or gave up, by reason.",
    ...DESTINATION,
    "reason",
  ),
  gw_spool_batches_retried_total: counter("Tries to send a batch of the spool that failed.", ...DESTINATION),
  gw_build_info: gauge("Version of the gateway; always 1.", "version", "abi", "node"),
  gw_generation: gauge("Number of the committed generation."),
  gw_worker_generation: gauge("Number of the generation that a worker serves.", "worker"),
  gw_workers: gauge("Workers that are connected to control."),
  gw_workers_expected: gauge("Workers that make the gateway ready."),
  gw_ready: gauge("1 when /status/ready answers 200."),
  gw_warnings: gauge("1 while /status/ready has a warning of this code.", "code"),
  gw_quarantined_routes: gauge("Routes that are answered 503 because their code held a worker."),
  gw_worker_stalls_total: counter(
    "Workers that were replaced because they did nothing any more, since control was started.",
    "reason",
  ),
  gw_config_writes_total: counter(
    "Changes of the configuration by outcome, since control was started.",
    "outcome",
  ),
  gw_config_last_write_timestamp_seconds: gauge(
    "Unix time of the last change of the configuration that took effect.",
  ),
  gw_config_last_reload_successful: gauge("1 when the last reload of files or of a build was taken."),
  gw_config_compile_seconds: histogram(
    "Time that the compiler took: for the whole at a start, for a change, for a reload.",
    "work",
  ),
  gw_captcha_up: gauge("1 while the captcha serves with what is configured."),
  gw_captcha_connections: gauge("Open connections of the captcha."),
  gw_captcha_plugin_requests_total: counter(
    "Requests that needed a captcha token, by what became of them",
    "site_key",
    "result",
  ),
  gw_captcha_plugin_failures_total: counter(
    "Calls of the captcha service that brought no verdict",
    "site_key",
  ),
  gw_captcha_plugin_verify_seconds: histogram("Seconds that calls of the captcha service took", "site_key"),
  gw_captcha_plugin_last_failure_timestamp_seconds: gauge(
    "When a request got no verdict last, until the captcha service gives one again",
    ...(["site_key", "route", "url", "error"] as const),
  ),
  gw_captcha_plugin_breaker_open: gauge(
    "Workers that do not ask the captcha service, since it failed",
    "site_key",
  ),
  gw_captcha_decisions_total: counter(
    "Decisions: token, task, again (answer wrong, late or bot-like), shadow, refused.",
    "site_key",
    "decision",
  ),
  gw_captcha_tasks_total: counter("Answered tasks.", "type", "outcome"),
  gw_captcha_tasks_ready: gauge("Tasks that are drawn and wait for a visitor.", "type"),
  gw_captcha_task_render_seconds: histogram("Time to draw a task.", "type"),
  gw_captcha_task_substitutes_total: counter(
    "Tasks given in the place of another kind that was not ready in time.",
  ),
  gw_captcha_task_thread_ends_total: counter("Ends of the thread that draws tasks."),
  gw_captcha_score: histogram("Scores at the tick; 1 is a bot."),
  gw_captcha_solve_seconds: histogram("Seconds from the tick to a token that took a task."),
  gw_captcha_verifications_total: counter(
    "Verifications: success, or why not (reference 5.4).",
    "site_key",
    "result",
  ),
  gw_captcha_verify_seconds: histogram("Time of verifications."),
  gw_captcha_verify_refused_total: counter(
    "Requests for verification from callers that are not known.",
    "reason",
  ),
  gw_captcha_clock_skew_total: counter(
    "Verified tokens from the future: clocks of nodes differ by more than 5 s.",
  ),
  gw_captcha_api_key_last_used_timestamp_seconds: gauge(
    "When an API key was last used, epoch seconds.",
    "key",
  ),
  gw_captcha_api_answers_total: counter("Answers of the frame API.", "call", "outcome"),
  gw_captcha_prices_total: counter("Ticks by what they cost: free, work, task, wait.", "price"),
  gw_captcha_attack_level: gauge(
    "How far the price of a site key is raised for an attack: 0 to 3.",
    "site_key",
  ),
  gw_captcha_feedback_total: counter("Reports of backends on visitors.", "site_key", "verdict"),
  gw_captcha_state_entries: gauge("Open sessions, answers of tasks, pictures and sound.", "kind"),
  gw_captcha_state_bytes: gauge("Bytes of them, as the budgets count.", "kind"),
  gw_captcha_state_evicted_total: counter("Entries that made room for others since the start.", "kind"),
} as const satisfies Record<string, Family>;

/** With those that each process has. */
export const ALL_FAMILIES = { ...FAMILIES, ...PROCESS_FAMILIES } as const;

export type Name = keyof typeof ALL_FAMILIES;
export type LabelOf<N extends Name> = (typeof ALL_FAMILIES)[N]["labels"][number];
export type NameOf<T extends Family["type"]> = {
  [N in Name]: (typeof ALL_FAMILIES)[N]["type"] extends T ? N : never;
}[Name];
