/** The worker process: accepts on the launcher's listeners and serves the generation that control publishes. */
import "../runtime/process/signals.js";
import "../runtime/process/crash-log.js";
import "../plugins/runtime.js";
import { join } from "node:path";
import { linkToControl } from "../runtime/process/control-link.js";
import { ControlMessageHandler } from "../runtime/process/control-messages.js";
import { DataPlane } from "../runtime/process/data-plane.js";
import { startHeartbeat } from "../runtime/process/heartbeat.js";
import { ENVIRONMENT, type ToChild } from "../runtime/process/launch-plan.js";
import {
  fromLauncher,
  inheritedListeners,
  obeyLauncher,
  tellLauncher,
} from "../runtime/process/launcher-link.js";
import { ListenerAcceptor } from "../runtime/process/listener-acceptor.js";
import { log } from "../runtime/process/log.js";
import { CONTROL_SOCKET } from "../runtime/process/messages.js";
import { executionMarker } from "../runtime/proxy/host/execution-marker.js";

/** Time in ms without a heartbeat after which the watchdog ends the process. */
const SILENCE_MS = 1000;
const STATS_MS = 1000;
/** Interval of metrics in ms. All counters are sent, 6,000 series in 4 ms; a crash loses at most this interval. */
const METRICS_MS = 5000;

const worker = Number(fromLauncher(ENVIRONMENT.worker));
const socket = join(fromLauncher(ENVIRONMENT.run), CONTROL_SOCKET);
const identity = { worker, pid: process.pid };

const heartbeat = startHeartbeat({
  name: `worker ${worker}`,
  report: { worker, socket, running: executionMarker.buffer as SharedArrayBuffer },
  silenceMs: SILENCE_MS,
});
const gateway = new DataPlane(heartbeat, worker);
const acceptor = new ListenerAcceptor(inheritedListeners(), gateway);
// A worker that cannot load the committed generation exits and is restarted, with the delays of a crash.
const serving = new ControlMessageHandler(gateway, { accept }, identity, () => process.exit(1));
const link = linkToControl(
  socket,
  () => serving.hello(),
  (message, send) => serving.handle(message, send),
  () => !stopping && serving.controlLost(),
);
gateway.tellControl = (message) => link.send(message);

// A log rotation may signal all processes.
process.on("SIGUSR1", () => gateway.reopenLogs());
process.on("message", (message, handle) => {
  if ((message as ToChild).type === "reopen") gateway.reopenLogs();
  if ((message as ToChild).type === "listener") acceptor.take((message as { index: number }).index, handle);
});

async function accept(on: boolean): Promise<void> {
  await acceptor.accept(on);
  if (on) tellLauncher({ type: "serving" });
}

// The connection count is sent at once when it changes by half, so that a burst does not stay on one worker.
let told = 0;
let toldAt = 0;
setInterval(() => {
  const { connections, requests } = gateway.stats();
  const moved = Math.abs(connections - told) > Math.max(told / 2, 3);
  if (!moved && Date.now() - toldAt < STATS_MS) return;
  told = connections;
  toldAt = Date.now();
  link.send({ type: "stats", connections, requests });
}, 50).unref();

gateway.reportActivity();
const tellMetrics = () => link.send({ type: "metrics", families: gateway.metrics() });
setInterval(tellMetrics, METRICS_MS).unref();

let stopping = false;
obeyLauncher(() => void stop());

async function stop(): Promise<void> {
  stopping = true;
  heartbeat.stop();
  acceptor.accept(false);
  await gateway.close(gateway.drainMs);
  tellMetrics();
  link.close();
  process.exit(0);
}

process.on("uncaughtException", (error) => {
  log("worker_failed", { worker, error: error.stack ?? error.message });
  process.exit(1);
});
