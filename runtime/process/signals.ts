/**
 * Imported before anything else: Node opens its inspector, which controls the process, on SIGUSR1 without a
 * listener. A rotation of logs sends that signal to all processes of a gateway.
 */
import * as inspector from "node:inspector";

/** Time in ms after which the inspector is closed again: a signal during Node's own start is handled late. */
const LATE_MS = 1_000;

const EARLY_ENDS = ["SIGTERM", "SIGINT"] as const;

const wanted = process.execArgv.some((flag) => flag.startsWith("--inspect"));

function shut(): void {
  if (!wanted && inspector.url() !== undefined) inspector.close();
}

process.on("SIGUSR1", () => {});
if (process.argv[2] === "run") {
  // The kernel ends process 1 of a container only by signals with a listener.
  const leave = () => process.exit(0);
  if (process.pid === 1) for (const signal of EARLY_ENDS) process.once(signal, leave);
  // They would end a gateway that has not read its settings yet; it does afterwards what they request.
  for (const signal of ["SIGHUP", "SIGUSR2"] as const) process.on(signal, () => {});
}
shut();
setTimeout(shut, LATE_MS).unref();
