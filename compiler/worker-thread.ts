/** The compiler's thread: answers calls one after another. Started by `worker.ts`. */
import { parentPort } from "node:worker_threads";
import { CompilerCalls } from "./worker-calls.js";

export interface Call {
  id: number;
  name: keyof CompilerCalls;
  arguments: unknown[];
}

export type Reply = { id: number } & ({ result: unknown } | { fault: string });

const calls = new CompilerCalls();

parentPort?.on("message", ({ id, name, arguments: given }: Call) => {
  let reply: Reply;
  try {
    const call = calls[name] as (...values: unknown[]) => unknown;
    reply = { id, result: call.apply(calls, given) };
  } catch (error) {
    // A fault of the compiler: what is half done in it must not be built upon.
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, fault } satisfies Reply);
    throw error;
  }
  parentPort?.postMessage(reply);
});
