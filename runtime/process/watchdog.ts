/**
 * Thread that sends liveness signals to the launcher and kills the process if the main thread stalls. Counts
 * its own polls: a suspended machine or a stopped process must not look like a stall afterwards.
 */
import { writeSync } from "node:fs";
import { connect, Socket } from "node:net";
import { workerData } from "node:worker_threads";
import { readStallSource } from "../proxy/host/execution-marker.js";
import { BEAT_MS, CELL, type WatchdogData } from "./heartbeat.js";
import { LIVENESS_MS } from "./liveness.js";
import { MainThreadTime, STARVED_FACTOR } from "./starvation.js";

/** Factor that loading extends the limit by. */
const LOADING_FACTOR = 60;
/** Time in ms for the report to leave before the process ends. */
const REPORT_MS = 100;

const { cells: memory, name, pid, report, silenceMs, pulse } = workerData as WatchdogData;
const cells = new Int32Array(memory);

let lastBeat = -1;
let silentLooks = 0;
/** CPU time of the main thread since its heartbeat was first missed. */
let missed: MainThreadTime | undefined;

if (pulse !== undefined) showLife(pulse);
const timer = setInterval(look, BEAT_MS);

function showLife(fd: number): void {
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.on("error", () => {});
  const beat = () => {
    // A launcher that is stopped itself reads nothing.
    if (socket.writableLength === 0 && socket.writable) socket.write(".");
  };
  beat();
  setInterval(beat, LIVENESS_MS);
}

function look(): void {
  if (Atomics.load(cells, CELL.stopping) === 1) {
    clearInterval(timer);
    return;
  }
  const beat = Atomics.load(cells, CELL.beats);
  silentLooks = beat === lastBeat ? silentLooks + 1 : 0;
  if (silentLooks === 1) missed = new MainThreadTime(pid);
  lastBeat = beat;
  const limit = Atomics.load(cells, CELL.loading) > 0 ? silenceMs * LOADING_FACTOR : silenceMs;
  if (silentLooks * BEAT_MS < limit || isStarved(limit)) return;
  clearInterval(timer);
  endStalled(silentLooks * BEAT_MS);
}

/**
 * Reports whether the main thread had less CPU time than a stall on an idle machine, within `STARVED_FACTOR`.
 * A heartbeat needs no work, so a longer silence does not raise the threshold.
 */
function isStarved(limit: number): boolean {
  return silentLooks * BEAT_MS < limit * STARVED_FACTOR && missed?.hadUnderQuarterOf(limit) === true;
}

function endStalled(silentMs: number): void {
  const end = () => process.kill(pid, "SIGKILL");
  setTimeout(end, REPORT_MS);
  // Control names the route; it may be away.
  const blame = report && readStallSource(report.running);
  tell({ event: "process_stalled", process: name, route_number: blame?.routeNumber, silent_ms: silentMs });
  if (report === undefined) return;
  const { worker, socket } = report;
  const control = connect(socket, () => {
    control.end(`${JSON.stringify({ type: "stalled", worker, pid, ...blame, silentMs })}\n`, end);
  });
  control.on("error", () => {});
}

function tell(line: object): void {
  try {
    writeSync(2, `${JSON.stringify({ at: new Date().toISOString(), pid, ...line })}\n`);
  } catch {
    // The reader of the log is slow (EAGAIN), gone, or its disk is full: no reason to let the process hang.
  }
}
