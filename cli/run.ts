import "../runtime/process/signals.js";
import "../runtime/process/crash-log.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { generatedAdminKey } from "../runtime/control/admin/authentication.js";
import { earlyStatus } from "../runtime/control/early-status.js";
import {
  type LaunchSettings,
  type RunArguments,
  type RunSource,
  runSource,
} from "../runtime/control/launch-settings.js";
import type { Settings } from "../runtime/control/settings.js";
import type { SettingsAnswer } from "../runtime/control/settings-main.js";
import { BindError, bind } from "../runtime/process/bind.js";
import { StartError } from "../runtime/process/contribution.js";
import { endsContainer, superviseGateway } from "../runtime/process/init.js";
import { ENVIRONMENT, type LaunchPlan } from "../runtime/process/launch-plan.js";
import { type Addresses, type EarlyStart, type Launched, launch } from "../runtime/process/launcher.js";
import { AwaitedReload } from "../runtime/process/launcher-link.js";
import { isSuccessor } from "../runtime/process/listener-handover.js";
import { log, printRefusal } from "../runtime/process/log.js";
import { claimRunDirectory, type RunDirectory } from "../runtime/process/run-directory.js";
import { StartResponder } from "../runtime/process/start-responder.js";
import { startingAt } from "../runtime/process/starting.js";
import { WatchedPaths } from "../runtime/process/watched-paths.js";
import { failed } from "./output.js";
import { chosenPaths } from "./paths.js";

/** Latest major release of Node without security fixes. */
const UNSUPPORTED_MAJOR = 20;

const RESPONDER = fileURLToPath(new URL("../runtime/control/start-responder-main.js", import.meta.url));

/** Reload on SIGHUP, and on changes that `--watch` sees. */
const reload = new AwaitedReload();

interface RunOptions {
  config?: string[];
  writable?: boolean;
  watch?: boolean;
  workers?: string;
  verify?: string[];
  policy?: string;
  logFormat?: "json" | "text";
  color?: "auto" | "always" | "never";
}

/** `gwc run`: serves files, or a directory of `gwc build`, which has a manifest. */
export async function run(paths: string[], options: RunOptions): Promise<number> {
  const workers = options.workers === undefined ? undefined : Number(options.workers);
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= 1_024))
    return failed(`--workers must be an integer from 0 to 1024, not "${options.workers}"`, 2);
  tellLogFormat(options);
  if (endsContainer()) return superviseGateway();
  if (Number.parseInt(process.versions.node, 10) <= UNSUPPORTED_MAJOR) {
    const reason = `Node ${process.versions.node} no longer receives security fixes: run the gateway on Node 22 or 24`;
    log("node_unsupported", { reason });
  }
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  return runGateway({
    paths: [...chosen],
    directory: process.cwd(),
    writable: options.writable === true,
    watch: options.watch === true,
    workers,
    verify: options.verify,
    policy: options.policy,
  });
}

/** Sets the log format for this process and its children. Without an option, the type of the output decides. */
function tellLogFormat({ logFormat, color = "auto" }: RunOptions): void {
  const terminal = process.stderr.isTTY === true;
  const isText = logFormat === undefined ? terminal : logFormat === "text";
  const coloured = color === "always" || (color === "auto" && terminal && !process.env["NO_COLOR"]);
  if (logFormat === undefined && process.env["GWC_LOG_FORMAT"] !== undefined) return;
  process.env["GWC_LOG_FORMAT"] = isText ? (coloured ? "coloured" : "text") : "json";
}

/** Returns 0 after a graceful stop, 1 if the gateway could not start (the reason is on stderr). */
async function runGateway(options: RunArguments): Promise<number> {
  process.on("SIGHUP", reload.ask);
  let early: EarlyStart | undefined;
  let watched: WatchedPaths | undefined;
  try {
    const origin = runSource(options);
    early = answeringEarly(origin);
    watched = watching(origin, options.watch === true);
    // Starts before the settings are read, so that a change during the read causes another read.
    await watched?.start();
    const settings = await settingsFor(origin);
    const workers = options.workers ?? settings.workers;
    if (workers > 0) return await runProcesses({ settings, origin, workers }, early);
    endEarly(early);
    return await runHere(options, { settings, watched });
  } catch (error) {
    endEarly(early);
    if (!(error instanceof StartError || error instanceof BindError)) throw error;
    printRefusal(error.message);
    return 1;
  } finally {
    watched?.stop();
  }
}

/** Serves early if the address is certain. Reading the settings, which name the listeners, may take seconds. */
function answeringEarly(origin: RunSource): EarlyStart | undefined {
  // In a handover the predecessor has the listeners.
  log("start_stage", { stage: "settings" });
  if (process.env[ENVIRONMENT.inherit] !== undefined) return undefined;
  const responder = new StartResponder(RESPONDER);
  const starting = startingAt("settings");
  // Starts the process of the responder while the files are read.
  responder.open([], starting);
  try {
    const address = earlyStatus(origin);
    if (address !== undefined) {
      const listener = { ...bind(address), kind: "status" };
      responder.open([listener], starting);
      return { responder, listener };
    }
  } catch (error) {
    // The later bind of the configured listeners reports the error better.
    if (!(error instanceof BindError)) throw error;
  }
  responder.close();
  return undefined;
}

function endEarly(early: EarlyStart | undefined): void {
  early?.responder.close();
  early?.listener.handle.close();
}

/** Reads the settings in a child process: the launcher stays small and loads nothing that could fail later. */
async function settingsFor(origin: RunSource): Promise<Settings> {
  const module = fileURLToPath(new URL("../runtime/control/settings-main.js", import.meta.url));
  const child = spawn(process.execPath, [module, JSON.stringify(origin)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk));
  await once(child, "close");
  if (child.exitCode !== 0) throw new StartError("cannot read the deployment settings");
  const answer = JSON.parse(text) as SettingsAnswer;
  if ("error" in answer) throw new StartError(answer.error);
  return answer.settings;
}

async function runProcesses(launchSettings: LaunchSettings, early: EarlyStart | undefined): Promise<number> {
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
  // The launcher handles the signal itself.
  process.off("SIGHUP", reload.ask);
  reload.serve(() => launched.reload());
  if (await launched.ready) greet(launched.addresses, settings, [settings.store, directory.path]);
  const code = await launched.ended;
  // Lets process 1 of a container end, which waits for this.
  if (process.connected) process.disconnect();
  directory.release();
  return code;
}

/** Looks before the settings are read and anything is compiled, so a change meanwhile causes a reload. */
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

/** Runs the gateway in this process, with `workers: 0`. */
async function runHere(
  options: RunArguments,
  { settings, watched }: { settings: Settings; watched: WatchedPaths | undefined },
): Promise<number> {
  const { startGateway } = await import("../runtime/control/embed.js");
  const gateway = await startGateway({ ...options, read: settings, log: true });
  greet(gateway.addresses, settings, [gateway.storeDirectory, gateway.storeDirectory]);
  reload.serve(() => void gateway.reload());
  process.on("SIGUSR1", () => gateway.reopenLogs());
  if (settings.drain.delayMs > 0) log("drain_not_delayed", { reason: "there are no worker processes" });
  // By default the signal would end the process. A handover needs a launcher.
  process.on("SIGUSR2", () => log("not_handed_over", { reason: "there are no worker processes" }));
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  watched?.stop();
  await gateway.close(settings.drain.timeoutMs);
  return 0;
}

/** Prints to the terminal, never to a log file. */
const print = (text: string) => process.stdout.write(`${text}\n`);

function greet(addresses: Addresses, settings: Settings, keyDirectories: [string, string]): void {
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
  // A terminal is read by a person, who has seen the key before a handover; a log may have many readers.
  print(
    `no admin_key is configured; ${process.stdout.isTTY && !isSuccessor() ? `the generated key is ${key.key}` : `the generated key is in ${file}`}`,
  );
}
