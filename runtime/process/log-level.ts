export type LogLevel = "error" | "warn" | "info";

/** What happens because somebody asked for it, or by itself as it should. */
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

/** Somebody has to look: something is lost, refused for good, or does not work until it is mended. */
const ERROR =
  /_(?:failed|unusable|unreadable|damaged|refused|stalled|silent|late)$|^(?:finding|last_known_good|write_not_stored|impossible_event|log_not_spooled|child_not_started)$/;

/** How much an event weighs, by its name, so that the same event always weighs the same; of what is not known: a warning. */
export function levelOf(event: string): LogLevel {
  if (INFO.has(event)) return "info";
  return ERROR.test(event) ? "error" : "warn";
}
