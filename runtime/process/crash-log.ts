/**
 * Imported by every process of a running gateway: what Node would print itself, as text of several lines, becomes an event of the
 * log. V8 alone still writes by itself, when it ends a process for want of memory.
 */
import { log } from "./log.js";

// Node's own listener prints.
process.removeAllListeners("warning");
process.on("warning", ({ name, message }) => log("node_warning", { name, reason: message }));

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return;
  log("process_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
