/** What `gwc run` does: settings, launcher, and the few lines that tell the operator where the gateway is. */
import "../runtime/process/signals.js";
import "../runtime/process/crash-log.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedAdminKey } from "../runtime/control/admin-key.js";
import { earlyStatus } from "../runtime/control/early-status.js";
import type { LaunchSettings, RunSource } from "../runtime/control/launch-settings.js";
import { type RunArguments, runOrigin } from "../runtime/control/run-source.js";
import type { Settings } from "../runtime/control/settings.js";
import type { SettingsAnswer } from "../runtime/control/settings-main.js";
import { AwaitedReload } from "../runtime/process/awaited-reload.js";
import { BindError, bind } from "../runtime/process/bind.js";
import { StartError } from "../runtime/process/contribution.js";
import { ENVIRONMENT, type LaunchPlan } from "../runtime/process/launch-plan.js";
import { type Addresses, type EarlyStart, type Launched, launch } from "../runtime/process/launcher.js";
import { isSuccessor } from "../runtime/process/listener-handover.js";
import { log, printRefusal } from "../runtime/process/log.js";
import { claimRunDirectory, type RunDirectory } from "../runtime/process/run-directory.js";
import { StartResponder } from "../runtime/process/start-responder.js";
import { startingAt } from "../runtime/process/starting.js";
import { WatchedPaths } from "../runtime/process/watched-paths.js";

const RESPONDER = fileURLToPath(new URL("../runtime/control/start-responder-main.js", import.meta.url));

/** SIGHUP, and changes that `--watch` sees. */
const reload = new AwaitedReload();

export interface RunOptions extends RunArguments {
  /** Where the greeting goes: the terminal, never a log file. Default: stdout. */
  print?: (text: string) => void;
}

/**
 * Runs a gateway until it is told to stop.
 * @returns the exit code: 0 after a graceful stop, 1 when it could not start (the reason is on stderr)
 */
export async function runGateway(options: RunOptions): Promise<number> {
  // A terminal, or a `head`, that is gone after the first lines is no reason to end.
  process.stdout.on("error", () => {});
  const print = options.print ?? ((text) => process.stdout.write(`${text}\n`));
  process.on("SIGHUP", reload.ask);
  let early: EarlyStart | undefined;
  let watched: WatchedPaths | undefined;
  try {
    const origin = runOrigin(options);
    early = answeringEarly(origin);
    watched = watching(origin, options.watch === true);
    // Changes while the settings are read, or later, are read again.
    await watched?.start();
    const settings = await settingsFor(origin);
    const workers = options.workers ?? settings.workers;
    if (workers > 0) return await runProcesses({ settings, origin, workers }, early, print);
    endEarly(early);
    return await runHere(options, { settings, watched }, print);
  } catch (error) {
    endEarly(early);
    if (!(error instanceof StartError || error instanceof BindError)) throw error;
    printRefusal(error.message);
    return 1;
  } finally {
    watched?.stop();
  }
}

/** Until the settings name the listeners, which may take seconds, that of status answers where it is surely going to be. */
function answeringEarly(origin: RunSource): EarlyStart | undefined {
  // The predecessor of a handover has the listeners.
  log("start_stage", { stage: "settings" });
  if (process.env[ENVIRONMENT.inherit] !== undefined) return undefined;
  const responder = new StartResponder(RESPONDER);
  const starting = startingAt("settings");
  // Node starts while the files are looked at.
  responder.open([], starting);
  try {
    const address = earlyStatus(origin);
    if (address !== undefined) {
      const listener = { ...bind(address), kind: "status" };
      responder.open([listener], starting);
      return { responder, listener };
    }
  } catch (error) {
    // Whoever binds what the settings say tells it better.
    if (!(error instanceof BindError)) throw error;
  }
  responder.close();
  return undefined;
}

function endEarly(early: EarlyStart | undefined): void {
  early?.responder.close();
  early?.listener.handle.close();
}

/** Settings as a process of its own reads them: the launcher stays small and loads nothing that could fail later. */
async function settingsFor(origin: RunSource): Promise<Settings> {
  const module = fileURLToPath(new URL("../runtime/control/settings-main.js", import.meta.url));
  const child = spawn(process.execPath, [module, JSON.stringify(origin)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk));
  await once(child, "close");
  if (child.exitCode !== 0) throw new StartError("the deployment settings could not be read");
  const answer = JSON.parse(text) as SettingsAnswer;
  if ("error" in answer) throw new StartError(answer.error);
  return answer.settings;
}

async function runProcesses(
  launchSettings: LaunchSettings,
  early: EarlyStart | undefined,
  print: (text: string) => void,
): Promise<number> {
  const { settings, workers } = launchSettings;
  const { metrics, services } = settings;
  const directory = await claimRunDirectory();
  const plan: LaunchPlan = {
    listening: {
      data: settings.data,
      tls: settings.tls,
      admin: [settings.admin],
      status: [settings.status],
      metrics: metrics ? [metrics] : [],
    },
    services: Object.entries(services).map(([name, { module, listen }]) => ({ name, module, listen })),
    workers,
    runDirectory: directory.path,
    drain: settings.drain,
    controlModule: fileURLToPath(new URL("../runtime/control/main.js", import.meta.url)),
    workerModule: fileURLToPath(new URL("./worker.js", import.meta.url)),
    responderModule: RESPONDER,
    metricsUri: metrics?.uri,
    settings: launchSettings,
  };
  const launched = launchIn(directory, plan, early);
  // The launcher listens itself.
  process.off("SIGHUP", reload.ask);
  reload.serve(() => launched.reload());
  if (await launched.ready) greet(launched.addresses, settings, [settings.store, directory.path], print);
  const code = await launched.ended;
  // Process 1 of a container, which waits for the end.
  if (process.connected) process.disconnect();
  directory.release();
  return code;
}

/** `--watch`. The first look is taken before settings are read, and anything is compiled: what changes meanwhile is read again. */
function watching(origin: RunSource, watch: boolean): WatchedPaths | undefined {
  if (!watch) return undefined;
  const isBuild = origin.kind === "dist";
  const paths = isBuild ? [origin.path] : origin.paths.map((path) => resolve(origin.directory, path));
  const watched = new WatchedPaths(paths, isBuild, reload.ask);
  log("watching", { paths });
  return watched;
}

function launchIn(directory: RunDirectory, plan: LaunchPlan, early: EarlyStart | undefined): Launched {
  try {
    return launch(plan, early);
  } catch (error) {
    directory.release();
    throw error;
  }
}

/** `workers: 0`. */
async function runHere(
  options: RunOptions,
  { settings, watched }: { settings: Settings; watched: WatchedPaths | undefined },
  print: (text: string) => void,
): Promise<number> {
  const { startGateway } = await import("../runtime/control/embed.js");
  const gateway = await startGateway({ ...options, read: settings, log: true });
  greet(gateway.addresses, settings, [gateway.storeDirectory, gateway.storeDirectory], print);
  reload.serve(() => void gateway.reload());
  process.on("SIGUSR1", () => gateway.reopenLogs());
  if (settings.drain.delayMs > 0) log("drain_not_delayed", { reason: "there are no worker processes" });
  // It would end the process. Nothing can be handed over without a launcher.
  process.on("SIGUSR2", () => log("not_handed_over", { reason: "there are no worker processes" }));
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  watched?.stop();
  await gateway.close(settings.drain.timeoutMs);
  return 0;
}

function greet(
  addresses: Addresses,
  settings: Settings,
  keyDirectories: [string, string],
  print: (text: string) => void,
): void {
  const urls = (list: { host: string; port: number }[], scheme = "http") =>
    list.map(({ host, port }) => `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`).join(" ");
  print(`gateway  ${[urls(addresses.data), urls(addresses.tls, "https")].filter(Boolean).join(" ")}`);
  for (const [name, { url }] of Object.entries(settings.services))
    print(`${name.padEnd(7)}  ${urls(addresses[name] ?? [])}${url === "" ? "" : ` as ${url}`}`);
  print(`admin    ${urls(addresses.admin)}/gw/admin`);
  if (settings.adminUi) print(`web      ${urls(addresses.admin)}/gw/ui`);
  if (addresses.metrics.length > 0)
    print(`metrics  ${urls(addresses.metrics)}${settings.metrics?.uri ?? ""}`);
  print(`status   ${urls(addresses.status)}/status/ready`);
  if (settings.adminKeys.length > 0 || !settings.adminKeyRequired) return;
  const { key, file } = generatedAdminKey(...keyDirectories);
  // A terminal is read by a person, who has seen the key before a handover; anything else may be a log that many read.
  print(
    `no admin_key is configured; ${process.stdout.isTTY && !isSuccessor() ? `the one made for this gateway is ${key.key}` : `the one made is in ${file}`}`,
  );
}
