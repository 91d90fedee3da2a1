import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../runtime/abi/plugin-api.js";
import type { TaskType } from "../../captcha-table.js";
import type { Level, RenderedTask } from "./media.js";

/** One reply with the same id follows. */
export interface RenderJob {
  id: number;
  type: TaskType;
  level: Level;
}

export interface RenderAnswer {
  id: number;
  task: RenderedTask;
  ms: number;
}

export interface RenderThread {
  render(job: RenderJob): void;
  end(): Promise<unknown>;
}

export interface RenderEvents {
  rendered(answer: RenderAnswer): void;
  /** Called once, also if the thread never started. No reply follows. */
  ended(reason: string): void;
}

export function startRenderThread(script: URL, events: RenderEvents): RenderThread {
  const worker = new Worker(script, {
    // The thread needs no flags of the process; drawing a picture takes about 3 MB.
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
