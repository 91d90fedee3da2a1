import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../runtime/abi/error-message.js";
import type { TaskType } from "../../captcha-table.js";
import type { Level, RenderedTask } from "./media.js";

/** Asks the thread for one task; one answer with the same id follows. */
export interface RenderJob {
  id: number;
  type: TaskType;
  level: Level;
}

export interface RenderAnswer {
  id: number;
  task: RenderedTask;
  /** Milliseconds that it took. */
  ms: number;
}

/** Where tasks are drawn: not here. */
export interface RenderThread {
  render(job: RenderJob): void;
  end(): Promise<unknown>;
}

export interface RenderEvents {
  rendered(answer: RenderAnswer): void;
  /** Once, also when it never began. Nothing that was asked for is answered after that. */
  ended(reason: string): void;
}

/** Starts a thread with `script`. What it draws is handed over without a copy. */
export function startRenderThread(script: URL, events: RenderEvents): RenderThread {
  const worker = new Worker(script, {
    // The thread needs no flag of the process; a picture takes about 3 MB while it is drawn.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  let reason = "it ended";
  worker.on("message", (answer: RenderAnswer) => events.rendered(answer));
  worker.on("error", (error) => {
    reason = messageOf(error);
  });
  worker.on("exit", () => events.ended(reason));
  worker.unref();
  return { render: (job) => worker.postMessage(job), end: () => worker.terminate() };
}
