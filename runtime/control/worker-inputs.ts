import "../../plugins/runtime.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModuleCode } from "../abi/generation.js";
import type { SharedResource } from "../abi/resource.js";
import { ABI } from "../abi/version.js";
import { contentOf, readRange } from "../process/generation-log.js";
import type { Secrets, ToWorker } from "../process/messages.js";
import { loadPluginFiles } from "../process/plugin-files.js";
import { loadModule } from "../proxy/host/load.js";
import { loadCompiler } from "./compiler-loader.js";
import { Control } from "./control.js";
import { builtOrigin, type RunSource, storeDirectoryOf } from "./launch-settings.js";
import type { Settings } from "./settings.js";
import { storeKeys } from "./store/keyring.js";

/** Secrets and spool destinations that a worker would receive. */
export interface WorkerInputs {
  secrets: Secrets;
  spooled: NonNullable<SharedResource["spooled"]>[];
}

/** @throws StartError if the configuration does not compile, or if a gateway uses the store */
export async function readWorkerInputs(settings: Settings, origin: RunSource): Promise<WorkerInputs> {
  const runDirectory = mkdtempSync(join(tmpdir(), "gwc-"));
  const storeDirectory = storeDirectoryOf(settings, origin);
  const keys = storeKeys(storeDirectory, settings.keyring);
  const compiler = await loadCompiler(origin.directory, keys.secretKey);
  try {
    const control = await Control.start({
      settings,
      origin: origin.kind === "files" ? origin : builtOrigin(origin),
      runDirectory,
      storeDirectory,
      compiler,
      keys,
      workers: 0,
      replace: () => {},
      environment: process.env,
    });
    const starts: (ToWorker & { type: "start" })[] = [];
    const worker = control.workers.attach({
      send: (message) => {
        if (message.type === "start") starts.push(message);
      },
      replace: () => {},
    });
    const nothing = { generation: 0, planHash: "", accepting: false, plugins: "" };
    worker.hear({ type: "hello", worker: 0, pid: process.pid, abi: ABI, ...nothing });
    const told = await toldBy(starts.at(-1));
    await control.close();
    return told;
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}

async function toldBy(start: (ToWorker & { type: "start" }) | undefined): Promise<WorkerInputs> {
  if (start === undefined) return { secrets: {}, spooled: [] };
  await loadPluginFiles(start.plugins);
  const { modules } = contentOf(readRange(start.log), start.generation);
  return { secrets: start.secrets, spooled: [...modules.values()].flatMap(spooledBy) };
}

function spooledBy(text: ModuleCode): WorkerInputs["spooled"] {
  if (text.moduleId.startsWith("plugin_metadata:")) return [];
  return (loadModule(text).resources ?? []).flatMap(({ spooled }) => spooled ?? []);
}
