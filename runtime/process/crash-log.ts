/**
 * Imported by every process of a running gateway: messages that Node would print as text of several lines
 * become log events. Only V8 still writes by itself, when it ends a process that is out of memory.
 */
import { log } from "./log.js";

// Removes Node's own listener, which prints.
process.removeAllListeners("warning");
process.on("warning", ({ name, message }) => log("node_warning", { name, reason: message }));

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return;
  log("process_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
