/** Imports modules one after another and reports the end of each. `sandbox-import.ts` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { resolveOwnModules } from "./own-modules.js";

if ((workerData as { plugins: boolean }).plugins) resolveOwnModules();

parentPort?.on("message", async (url: string) => {
  // Only the import keeps the thread alive, so one that waits for nothing ends it.
  parentPort?.unref();
  try {
    await import(url);
  } catch {
    // The real import throws the same error, and its caller reports it.
  }
  parentPort?.ref();
  parentPort?.postMessage("ended");
});
