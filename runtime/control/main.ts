/** Control process: the launcher starts and restarts it, and workers outlive it. */
import "../process/signals.js";
import "../process/crash-log.js";
import { rmSync } from "node:fs";
import { StartError } from "../process/contribution.js";
import { startHeartbeat } from "../process/heartbeat.js";
import { ENVIRONMENT, type Serving, type ToChild } from "../process/launch-plan.js";
import {
  AwaitedReload,
  fromLauncher,
  type InheritedListener,
  inheritedListeners,
  obeyLauncher,
  tellLauncher,
} from "../process/launcher-link.js";
import { SilenceTimer } from "../process/liveness.js";
import { log, printRefusal } from "../process/log.js";
import { StartStages } from "../process/starting.js";
import { storeRestart } from "../process/store-restart.js";
import { loadCompiler } from "./compiler-loader.js";
import { Control } from "./control.js";
import {
  builtOrigin,
  type ConfigSource,
  type LaunchSettings,
  type RunSource,
  storeDirectoryOf,
} from "./launch-settings.js";
import { storeKeys } from "./store/keyring.js";

/** Heartbeat timeout in ms: work on 100,000 routes may block for seconds, an endless loop forever. */
const SILENCE_MS = 30_000;
/** Start timeout of services in ms: then the gateway is ready without them, as `/status/ready` tells. */
const SERVICE_START_MS = 10_000;

startHeartbeat({ name: "control", silenceMs: SILENCE_MS });
const launcher = new SilenceTimer();
let serving: Serving | undefined;
const reload = new AwaitedReload();
const restart = storeRestart("a disk error stopped a write to the store: control restarts");
const stages = new StartStages((starting) => tellLauncher({ type: "stage", starting }));

async function main(): Promise<void> {
  const { settings, origin, workers, restarted } = await launchSettings();
  const storeDirectory = storeDirectoryOf(settings, origin);
  const keys = storeKeys(storeDirectory, settings.keyring);
  const compiler = await loadCompiler(origin.directory, keys.secretKey, origin.policy);
  const control = await Control.start({
    settings,
    origin: verified(origin),
    runDirectory: fromLauncher(ENVIRONMENT.run),
    storeDirectory,
    keyDirectory: settings.store,
    spoolDirectory: settings.spool.directory,
    compiler,
    keys,
    workers,
    storeFailed: (isAsked) => restart.failed(isAsked),
    replace: (pid) => tellLauncher({ type: "replace", pid }),
    // Without its launcher the gateway serves, but no process is replaced.
    launcher: () => (launcher.silentMs > 0 ? { launcher: { silent_ms: launcher.silentMs } } : {}),
    // A silent launcher may not have noticed that a worker ended.
    serving: () => (launcher.silentMs > 0 ? undefined : serving),
    reloaded: (taken) => tellLauncher({ type: "reloaded", taken }),
    applied: (changed) => {
      const next: LaunchSettings = { settings: changed, origin, workers };
      tellLauncher({ type: "settings", settings: next });
    },
    environment: process.env,
    restarted,
    stages,
    serveEarly: true,
  });
  obeyLauncher(() => void stop(control));
  process.on("message", (message: ToChild) => {
    if (message.type === "silent") control.workers.silent(message);
  });
  await control.listenForWorkers();
  stages.enter("workers", { workers });
  await Promise.all(inheritedListeners().map((listener) => listen(control, listener)));
  tellLauncher({ type: "listening" });
  reload.serve(() => void control.reload());
  await control.workers.whenReady();
  stages.enter("services");
  await control.services.whenTold(SERVICE_START_MS);
  stages.end();
  restart.ready();
  log("ready", { generation: control.generation });
  tellLauncher({ type: "ready", ...(control.isStale && { stale: true as const }) });
}

/** Receives the first message: settings of the launcher's start, or those left by the previous control. */
function launchSettings(): Promise<LaunchSettings & { restarted: boolean }> {
  return new Promise((resolve) => {
    process.on("message", (message: ToChild) => {
      launcher.heard();
      if (message.type === "serving") ({ serving } = message);
      if (message.type === "reload") reload.ask();
      if (message.type === "settings") {
        const { settings, restarted = false } = message;
        resolve({ ...(settings as LaunchSettings), restarted });
      }
    });
  });
}

function verified(origin: RunSource): ConfigSource {
  if (origin.kind === "files") return origin;
  stages.enter("build");
  return builtOrigin(origin, process.env);
}

/** Resolves when the server listens, or cannot. */
function listen(control: Control, { kind, fd }: InheritedListener): Promise<void> {
  if (kind !== "admin" && kind !== "status" && kind !== "metrics") return Promise.resolve();
  const server = control[kind];
  return new Promise((resolve) => {
    server.on("error", (error) => {
      log("listen_failed", { listener: kind, error: error.message });
      resolve();
    });
    server.listen({ fd }, resolve);
  });
}

async function stop(control: Control): Promise<void> {
  await control.close();
  // A killed launcher could not remove it.
  if (!process.connected) rmSync(fromLauncher(ENVIRONMENT.run), { recursive: true, force: true });
  process.exit(0);
}

main().catch((error: unknown) => {
  if (error instanceof StartError) {
    printRefusal(error.message);
    tellLauncher({ type: "abandon", code: 1 });
    // If workers already serve, the launcher does not give up but restarts control.
    setTimeout(() => process.exit(1), 1000);
    return;
  }
  log("control_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
