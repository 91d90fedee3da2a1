/**
 * Tasks of the captcha (reference 4.3), drawn in a worker thread: pixels and samples only leave it. Parts and replies, sizes in pixels
 * of the layout (pictures have twice as many each way):
 *
 * - shapes: `grid` 360x240, cells 0..11 of 90x80 row by row; `strip` 180x56. Reply: cells in the order of the strip.
 * - rings: `outer` 240, `inner` 164, `core` 92, square, transparent, on one centre. Reply: degrees clockwise for outer and inner.
 * - text: `text` 240x88. Reply: letters. - audio: `sound`, 9.6 s. Reply: digits.
 */
import type { Metrics } from "../../../../runtime/abi/metrics.js";
import type { CaptchaParts, TaskSource } from "../contract.js";
import { startRenderThread } from "./render-thread.js";
import { TaskPool } from "./task-pool.js";

export { checkReply } from "./check-reply.js";
export { TasksBusy } from "./task-pool.js";
export { testTask } from "./test-task.js";

export interface TaskOptions {
  /** Default: nowhere. */
  report?: CaptchaParts["report"];
  /** Default: nothing is counted. */
  metrics?: Metrics;
  /** What the thread runs; default: the compiled file beside this one. */
  script?: URL;
}

/** Starts the thread and begins to fill the buffers; returns at once. */
export function startTasks({ report = () => {}, metrics, script = SCRIPT }: TaskOptions = {}): TaskSource {
  return new TaskPool({ start: (events) => startRenderThread(script, events), report, metrics });
}

const SCRIPT = new URL("./worker-thread.js", import.meta.url);
