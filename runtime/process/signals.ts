/**
 * Imported before anything else by every program of the gateway. Node opens its inspector, a door to the whole process, on
 * SIGUSR1 unless somebody listens to it; a rotation of logs sends the signal to all processes of a gateway.
 */
import * as inspector from "node:inspector";

/** The signal may have come while Node itself was starting, and is then dealt with a little later. */
const LATE_MS = 1_000;

const wanted = process.execArgv.some((flag) => flag.startsWith("--inspect"));

function shut(): void {
  if (!wanted && inspector.url() !== undefined) inspector.close();
}

process.on("SIGUSR1", () => {});
shut();
setTimeout(shut, LATE_MS).unref();
