import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABI } from "../abi/version.js";
import type { Secrets } from "../process/messages.js";
import { loadCompiler } from "./compiler-thread.js";
import { Control } from "./control.js";
import { builtOrigin, type RunOrigin } from "./launch-settings.js";
import type { Settings } from "./settings.js";
import { storeKeys } from "./store-keys.js";

/**
 * What the references of a gateway's modules stand for while it does not run: literals of its files and of its store, as a
 * worker would be told.
 * @throws StartError when the configuration does not compile, or a gateway has the store
 */
export async function knownSecrets(settings: Settings, origin: RunOrigin): Promise<Secrets> {
  const runDirectory = mkdtempSync(join(tmpdir(), "gwc-"));
  const storeDirectory = origin.kind === "dist" && !origin.writable ? null : settings.store;
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
    let told: Secrets = {};
    const worker = control.workers.attach({
      send: (message) => {
        if (message.type === "start") told = message.secrets;
      },
      replace: () => {},
    });
    const nothing = { generation: 0, planHash: "", accepting: false };
    worker.hear({ type: "hello", worker: 0, pid: process.pid, abi: ABI, ...nothing });
    await control.close();
    return told;
  } finally {
    rmSync(runDirectory, { recursive: true, force: true });
  }
}
