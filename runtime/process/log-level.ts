export type LogLevel = "error" | "warn" | "info";

/** Events that were requested, or are part of normal operation. */
const INFO = new Set([
  "admin_write",
  "expired",
  "handed_over",
  "logs_reopened",
  "ready",
  "reloaded",
  "route_released",
  "run_directory_removed",
  "secrets_encrypted",
  "serves_before_compile",
  "shipper_elected",
  "start_stage",
  "stopping",
  "which_route_live",
]);

/** Events that need an operator: a loss, a final refusal, or a part that does not work until it is repaired. */
const ERROR =
  /_(?:failed|unusable|unreadable|damaged|refused|stalled|unresponsive|late)$|^(?:diagnostic|last_known_good|write_not_stored|impossible_event|log_not_spooled|child_not_started)$/;

/** Returns the level of an event by its name, so that it is always the same; unknown events are warnings. */
export function levelOf(event: string): LogLevel {
  if (INFO.has(event)) return "info";
  return ERROR.test(event) ? "error" : "warn";
}
