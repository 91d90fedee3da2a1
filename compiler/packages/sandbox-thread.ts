/** A thread that imports modules one after another and tells of each that its import has ended. Started by `trial-import.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import { resolveOwnModules } from "./own-modules.js";

if ((workerData as { plugins: boolean }).plugins) resolveOwnModules();

parentPort?.on("message", async (url: string) => {
  // While nothing but the import keeps the thread, one that waits for what never comes ends it.
  parentPort?.unref();
  try {
    await import(url);
  } catch {
    // The import that counts throws the same, where it can be said.
  }
  parentPort?.ref();
  parentPort?.postMessage("ended");
});
