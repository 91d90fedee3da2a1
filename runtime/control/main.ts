/** Control's process: started by the launcher, restarted by it, and outlived by the workers. */
import { readFileSync, rmSync } from "node:fs";
import {
  fromLauncher,
  type InheritedListener,
  inheritedListeners,
  obeyLauncher,
  tellLauncher,
} from "../process/inherited.js";
import { ENVIRONMENT, type ToChild } from "../process/launch-plan.js";
import { log } from "../process/log.js";
import { loadCompiler } from "./compiler-thread.js";
import { Control } from "./control.js";
import { builtOrigin, type LaunchSettings } from "./launch-settings.js";
import { StartError } from "./start-error.js";
import { storeKeys } from "./store-keys.js";

const settingsFile = fromLauncher(ENVIRONMENT.settings);
const { settings, origin, workers } = JSON.parse(readFileSync(settingsFile, "utf8")) as LaunchSettings;

/** A gateway is ready without its captcha when that takes longer; `/status/ready` tells why. */
const CAPTCHA_START_MS = 10_000;

async function main(): Promise<void> {
  const storeDirectory = origin.kind === "dist" && !origin.writable ? null : settings.store;
  const keys = storeKeys(storeDirectory, settings.keyring);
  const compiler = await loadCompiler(origin.directory, keys.secretKey);
  const control = await Control.start({
    settings,
    origin: origin.kind === "files" ? origin : builtOrigin(origin, process.env),
    runDirectory: fromLauncher(ENVIRONMENT.run),
    storeDirectory,
    spoolDirectory: settings.spool.directory,
    compiler,
    keys,
    workers,
    replace: (pid) => tellLauncher({ type: "replace", pid }),
    environment: process.env,
  });
  obeyLauncher(() => void stop(control));
  process.on("message", (message) => {
    if ((message as ToChild).type === "reload") void control.reload();
  });
  await control.listenForWorkers();
  for (const listener of inheritedListeners()) listen(control, listener);
  await control.workers.whenReady();
  await control.captcha?.whenTold(CAPTCHA_START_MS);
  log("ready", { generation: control.generation });
  tellLauncher({ type: "ready" });
}

function listen(control: Control, { kind, fd }: InheritedListener): void {
  if (kind === "data" || kind === "captcha") return;
  const server = control[kind];
  server.on("error", (error) => log("listen_failed", { listener: kind, error: error.message }));
  server.listen({ fd });
}

async function stop(control: Control): Promise<void> {
  await control.close();
  // A launcher that was killed could not tidy up.
  if (!process.connected) rmSync(fromLauncher(ENVIRONMENT.run), { recursive: true, force: true });
  process.exit(0);
}

main().catch((error: unknown) => {
  if (error instanceof StartError) {
    process.stderr.write(`${error.message}\n`);
    tellLauncher({ type: "abandon", code: 1 });
    // With workers that serve already the launcher does not give up; it starts control again.
    setTimeout(() => process.exit(1), 1000);
    return;
  }
  log("control_failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  process.exit(1);
});
