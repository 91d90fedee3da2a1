/** Serves calls one after another. `thread-line.ts` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { loadPlugins } from "../plugin/registry.js";
import { CompilerRpc } from "./compiler-rpc.js";
import { liveCompilation } from "./live-compilation.js";

export interface Call {
  id: number;
  name: keyof CompilerRpc;
  arguments: unknown[];
}

export type Reply = { id: number } & ({ result: unknown } | { fault: string });

export interface ThreadData {
  secretKey: string | undefined;
  plugins: readonly string[];
}

const { secretKey, plugins } = workerData as ThreadData;
await loadPlugins(plugins);
const calls = new CompilerRpc(liveCompilation(secretKey));

let before = Promise.resolve();
parentPort?.on("message", (call: Call) => {
  before = before.then(() => answer(call));
});

async function answer({ id, name, arguments: given }: Call): Promise<void> {
  try {
    const call = calls[name] as (...values: unknown[]) => unknown;
    const result: unknown = await call.apply(calls, given);
    parentPort?.postMessage({ id, result } satisfies Reply);
  } catch (error) {
    // After a bug in the compiler its half-done state must not be used: the other side starts a new thread.
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, fault } satisfies Reply);
  }
}
