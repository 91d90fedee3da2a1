/**
 * Thread beside a worker's main thread. Counts its own looks instead of reading a clock, so that a suspended machine
 * or a stopped process does not look like a stall when it goes on.
 */
import { writeSync } from "node:fs";
import { connect } from "node:net";
import { workerData } from "node:worker_threads";
import { BEAT_MS, CELL, type WatchdogData } from "./heartbeat.js";

/** Loading may take this many times the normal limit. */
const LOADING_FACTOR = 60;
/** Time for the report to leave before the process ends. */
const REPORT_MS = 100;

const { cells: memory, worker, pid, socket, silenceMs } = workerData as WatchdogData;
const cells = new Int32Array(memory);

let lastBeat = -1;
let silentLooks = 0;

const timer = setInterval(look, BEAT_MS);

function look(): void {
  if (Atomics.load(cells, CELL.stopping) === 1) {
    clearInterval(timer);
    return;
  }
  const beat = Atomics.load(cells, CELL.beats);
  silentLooks = beat === lastBeat ? silentLooks + 1 : 0;
  lastBeat = beat;
  const limit = Atomics.load(cells, CELL.loading) > 0 ? silenceMs * LOADING_FACTOR : silenceMs;
  if (silentLooks * BEAT_MS < limit) return;
  clearInterval(timer);
  report(silentLooks * BEAT_MS);
}

function report(silentMs: number): void {
  const routeOrder = Atomics.load(cells, CELL.route);
  const line = {
    at: new Date().toISOString(),
    pid,
    event: "worker_stalled",
    worker,
    route_order: routeOrder,
    silent_ms: silentMs,
  };
  writeSync(2, `${JSON.stringify(line)}\n`);
  const end = () => process.kill(pid, "SIGKILL");
  setTimeout(end, REPORT_MS);
  const control = connect(socket, () => {
    control.end(`${JSON.stringify({ type: "stalled", worker, pid, routeOrder, silentMs })}\n`, end);
  });
  control.on("error", () => {});
}
