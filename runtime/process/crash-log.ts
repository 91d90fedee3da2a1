/** Turns messages of Node into log events. Only V8 still prints, when it ends a process that is out of memory. */
import { log } from "./log.js";

// Removes Node's own listener, which prints.
process.removeAllListeners("warning");
process.on("warning", ({ name, message }) => log("node_warning", { name, reason: message }));

process.on("uncaughtException", (error: unknown) => {
  if (process.listenerCount("uncaughtException") > 1) return;
  log("process_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
