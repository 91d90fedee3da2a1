import type { Dashboard } from "./dashboard.js";
import {
  choice,
  GATEWAYS,
  HERE,
  highest,
  level,
  observed,
  panel,
  perSecond,
  quantileBy,
  quantiles,
  since,
  stacked,
  stat,
} from "./panels.js";
import { series } from "./query.js";

const LOGGER = { name: "=~$name" } as const;
const TO = ["destination", "address"];

export const LOGS: Dashboard = {
  id: "logs",
  title: "Logs",
  variables: [...GATEWAYS, choice("name", "Logger", "gw_log_entries_pushed_total")],
  rows: {
    Entries: [
      panel(
        "Made",
        "Entries a second.",
        "ops",
        perSecond("gw_log_entries_pushed_total", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Delivered",
        "Entries a second.",
        "ops",
        perSecond("gw_log_entries_sent_total", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Lost",
        "Entries a second, by reason.",
        "ops",
        perSecond("gw_log_entries_dropped_total", { by: ["name", "reason"], matchers: LOGGER }),
      ),
      panel(
        "Failed tries",
        "Entries in them, and those sent again, a second.",
        "ops",
        perSecond("gw_log_entries_failed_total", {
          by: ["name"],
          matchers: LOGGER,
          legend: "{{name}} failed",
        }),
        perSecond("gw_log_entries_retried_total", {
          by: ["name"],
          matchers: LOGGER,
          legend: "{{name}} again",
        }),
      ),
      panel(
        "Neither sent nor lost",
        "In memory and in spools.",
        "short",
        level("gw_log_pending_entries", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Of these in memory",
        "In buffers of batches.",
        "short",
        level("gw_batch_process_entries", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Bytes that wait",
        "In memory and in spools.",
        "bytes",
        level("gw_log_pending_bytes", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Bytes delivered",
        "A second.",
        "Bps",
        perSecond("gw_log_bytes_sent_total", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Time of a batch",
        "99 of 100 are below.",
        "s",
        quantileBy(0.99, "gw_log_flush_seconds", ["name"], LOGGER),
      ),
    ],
    Spools: [
      panel("Fill", "Share of what each may hold.", "percentunit", {
        expr: `${series("gw_spool_bytes", HERE)} / ${series("gw_spool_max_bytes", HERE)}`,
        legend: "{{destination}} {{address}}",
      }),
      panel("Bytes", "Not delivered yet.", "bytes", level("gw_spool_bytes", { by: TO })),
      panel("Entries", "Not delivered yet.", "short", level("gw_spool_entries", { by: TO })),
      panel("Age", "Of the oldest entries.", "s", highest("gw_spool_oldest_seconds", { by: TO })),
      panel(
        "In and out",
        "Entries a second.",
        "ops",
        perSecond("gw_spool_entries_appended_total", { by: TO, legend: "to disk {{address}}" }),
        perSecond("gw_spool_entries_shipped_total", { by: TO, legend: "delivered {{address}}" }),
      ),
      panel(
        "Lost",
        "Entries a second, by reason.",
        "ops",
        perSecond("gw_spool_entries_dropped_total", { by: [...TO, "reason"] }),
      ),
      panel("Failed batches", "A second.", "ops", perSecond("gw_spool_batches_retried_total", { by: TO })),
      panel("Files", "Of each spool.", "short", level("gw_spool_segments", { by: TO })),
      panel("Waiting for the disk", "Bytes.", "bytes", level("gw_spool_waiting_bytes", { by: TO })),
      panel(
        "Shippers",
        "Epoch of who ships; it grows with each election.",
        "short",
        highest("gw_spool_shipper_epoch", { by: TO }),
      ),
      panel(
        "Found at the start",
        "Entries a second.",
        "ops",
        perSecond("gw_log_entries_recovered_total", { by: ["name"], matchers: LOGGER }),
      ),
      panel(
        "Put on disk",
        "Entries a second, by logger.",
        "ops",
        perSecond("gw_log_entries_spooled_total", { by: ["name"], matchers: LOGGER }),
      ),
    ],
    "Syslog and access log": [
      panel(
        "Connections lost",
        "After a batch was written, a second.",
        "ops",
        perSecond("gw_syslog_connections_failed_total", { by: ["destination"] }),
        perSecond("gw_log_connections_failed_total", { by: ["destination"] }),
      ),
      panel(
        "Cut messages",
        "Longer than a datagram, a second.",
        "ops",
        perSecond("gw_syslog_truncated_total", { by: ["destination"] }),
      ),
      panel(
        "Files not rotated",
        "Full, and not to be renamed, a second.",
        "ops",
        perSecond("gw_log_rotations_failed_total", { by: ["path"] }),
      ),
      panel("Access log", "Lines lost, a second.", "ops", perSecond("gw_access_log_dropped_total")),
    ],
  },
};

const SITE = { site_key: "=~$site_key" } as const;

export const CAPTCHA: Dashboard = {
  id: "captcha",
  title: "Captcha",
  variables: [...GATEWAYS, choice("site_key", "Site key", "gw_captcha_decisions_total")],
  rows: {
    Service: [
      stat("Up", "Services that serve.", "short", level("gw_captcha_up")),
      stat("Connections", "Open now.", "short", level("gw_captcha_connections")),
      stat(
        "Clock skew",
        "Tokens from the future, a second.",
        "ops",
        perSecond("gw_captcha_clock_skew_total"),
      ),
      stat(
        "Drawing",
        "Ends of the thread that draws, a second.",
        "ops",
        perSecond("gw_captcha_task_thread_ends_total"),
      ),
    ],
    Visitors: [
      stacked(
        panel(
          "Decisions",
          "A second.",
          "ops",
          perSecond("gw_captcha_decisions_total", { by: ["decision"], matchers: SITE }),
        ),
      ),
      panel("Score", "At the tick; 1 is a bot.", "short", ...quantiles("gw_captcha_score")),
      panel("Ticks", "Scored, a second.", "ops", observed("gw_captcha_score")),
      panel(
        "Tasks",
        "Answered, a second.",
        "ops",
        perSecond("gw_captcha_tasks_total", { by: ["type", "outcome"] }),
      ),
      panel(
        "Time to solve",
        "Time from the tick to a token that required a task.",
        "s",
        ...quantiles("gw_captcha_solve_seconds"),
      ),
      stacked(
        panel("Prices", "Ticks, a second.", "ops", perSecond("gw_captcha_prices_total", { by: ["price"] })),
      ),
      panel(
        "Attack",
        "How far prices are raised, 0 to 3.",
        "short",
        highest("gw_captcha_attack_level", { by: ["site_key"], matchers: SITE }),
      ),
      panel(
        "Reports",
        "Of backends, a second.",
        "ops",
        perSecond("gw_captcha_feedback_total", { by: ["verdict"], matchers: SITE }),
      ),
      panel(
        "Answers of the frame API",
        "A second, by call and outcome.",
        "ops",
        perSecond("gw_captcha_api_answers_total", { by: ["call", "outcome"] }),
      ),
    ],
    Verification: [
      panel(
        "Verifications",
        "A second, by result.",
        "ops",
        perSecond("gw_captcha_verifications_total", { by: ["result"], matchers: SITE }),
      ),
      panel(
        "Refused callers",
        "A second, by reason.",
        "ops",
        perSecond("gw_captcha_verify_refused_total", { by: ["reason"] }),
      ),
      panel("Time", "Of verifications.", "s", ...quantiles("gw_captcha_verify_seconds")),
      panel(
        "Keys",
        "Since each API key was used last.",
        "s",
        since("gw_captcha_api_key_last_used_timestamp_seconds", { by: ["key"] }),
      ),
    ],
    "Plugin at the routes": [
      stacked(
        panel(
          "Requests",
          "That needed a token, a second.",
          "reqps",
          perSecond("gw_captcha_plugin_requests_total", { by: ["result"], matchers: SITE }),
        ),
      ),
      panel(
        "Calls without a verdict",
        "A second.",
        "ops",
        perSecond("gw_captcha_plugin_failures_total", { by: ["site_key"], matchers: SITE }),
      ),
      panel("Time of calls", "Of the service.", "s", ...quantiles("gw_captcha_plugin_verify_seconds", SITE)),
      panel(
        "Without a verdict",
        "Seconds since the last, by route.",
        "s",
        since("gw_captcha_plugin_last_failure_timestamp_seconds", {
          by: ["route", "error"],
          matchers: SITE,
        }),
      ),
      panel(
        "Breaker",
        "Workers that do not ask.",
        "short",
        level("gw_captcha_plugin_breaker_open", { by: ["site_key"], matchers: SITE }),
      ),
    ],
    "Tasks and memory": [
      panel("Ready tasks", "Drawn, and waiting.", "short", level("gw_captcha_tasks_ready", { by: ["type"] })),
      panel(
        "Time to draw",
        "95 of 100 are below.",
        "s",
        quantileBy(0.95, "gw_captcha_task_render_seconds", ["type"]),
      ),
      panel(
        "Substitutes",
        "Tasks of another kind, a second.",
        "ops",
        perSecond("gw_captcha_task_substitutes_total"),
      ),
      panel(
        "Entries",
        "Open sessions, answers, pictures.",
        "short",
        level("gw_captcha_state_entries", { by: ["kind"] }),
      ),
      panel("Bytes", "As the budgets count.", "bytes", level("gw_captcha_state_bytes", { by: ["kind"] })),
      panel(
        "Forgotten",
        "Entries that made room, a second.",
        "ops",
        perSecond("gw_captcha_state_evicted_total", { by: ["kind"] }),
      ),
    ],
  },
};
