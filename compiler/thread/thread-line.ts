import { Worker } from "node:worker_threads";
import { CompilerDiedError } from "../../runtime/abi/compiler-died-error.js";
import { messageOf } from "../../runtime/abi/error-message.js";
import type { CompilerRpc } from "./compiler-rpc.js";
import type { Call, Reply, ThreadData } from "./compiler-thread.js";

/** Numbered calls. The next call replaces a dead thread: one that cannot start is not started in a loop. */
export class ThreadLine {
  onReplace: () => void = () => {};
  readonly #onEnd: ((reason: string) => void) | undefined;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #data: ThreadData;
  #worker: Worker | undefined;
  #next = 1;
  #closed = false;
  #refused: string | undefined;

  constructor(onEnd: ((reason: string) => void) | undefined, data: ThreadData) {
    this.#onEnd = onEnd;
    this.#data = data;
    this.#worker = this.#start();
  }

  call<Name extends keyof CompilerRpc>(
    name: Name,
    given: Parameters<CompilerRpc[Name]>,
  ): Promise<Awaited<ReturnType<CompilerRpc[Name]>>> {
    if (name === "begin" && !this.#closed) this.#refused = undefined;
    if (this.#refused !== undefined) return Promise.reject(new CompilerDiedError(this.#refused));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, name, arguments: given } satisfies Call);
    });
  }

  /** Rejects every call except `begin` from now on. */
  refuse(reason: string): void {
    if (!this.#closed) this.#refused = reason;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.refuse("the compiler is closed");
    this.#closed = true;
    await worker?.terminate();
    this.#rejectAll("the compiler is closed");
  }

  #start(): Worker {
    const worker = new Worker(new URL("./compiler-thread.js", import.meta.url), { workerData: this.#data });
    let reason = "the compiler thread ended";
    worker.on("message", (reply: Reply) => this.#answer(worker, reply));
    worker.on("error", (error) => {
      reason = messageOf(error);
    });
    worker.on("exit", () => this.#replace(worker, reason));
    return worker;
  }

  #replace(worker: Worker, reason: string): void {
    if (this.#closed || worker !== this.#worker) return;
    this.#worker = undefined;
    this.#rejectAll(reason);
    this.onReplace();
    this.#onEnd?.(reason);
    void worker.terminate();
  }

  #answer(worker: Worker, reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (!("fault" in reply)) {
      waiting?.resolve(reply.result);
      return;
    }
    waiting?.reject(new CompilerDiedError(reply.fault));
    this.#replace(worker, reply.fault);
  }

  #rejectAll(reason: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(new CompilerDiedError(reason));
  }
}
