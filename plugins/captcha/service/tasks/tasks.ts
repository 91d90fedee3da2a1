/**
 * Tasks of the captcha (reference 4.3), drawn in a worker thread: only pixels and samples leave it. Parts and
 * replies, sizes in pixels of the layout (pictures have twice as many each way):
 *
 * - shapes: `grid` 360x240, cells 0..11 of 90x80 row by row; `strip` 360x72. Reply: cells in the order of the
 * strip.
 * - rings: `ring1` … 116x116, transparent outside a disc. Reply: clockwise degrees of each.
 * - text: `text` 240x88. Reply: letters.
 * - audio: `sound`, 13.2 s. Reply: digits.
 */
import type { PreparedTask, TaskSource } from "../contract.js";
import { render } from "./render.js";
import { startRenderThread } from "./render-thread.js";
import { type PoolOptions, preparedTask, TaskPool } from "./task-pool.js";

export { checkReply } from "./check-reply.js";
export { TasksBusyError } from "./task-pool.js";

/** Faults are not reported without `report`. */
export interface TaskOptions extends Partial<Omit<PoolOptions, "start">> {
  /** Default: the compiled file next to this one. */
  script?: URL;
}

/** Starts the thread and the filling of the buffers; returns at once. */
export function startTasks({ script = SCRIPT, report = () => {}, ...more }: TaskOptions = {}): TaskSource {
  return new TaskPool({ start: (events) => startRenderThread(script, events), report, ...more });
}

const SCRIPT = new URL("./worker-thread.js", import.meta.url);

const ANSWER = { type: "shapes", cells: [0, 1, 2] } as const;
let made: PreparedTask | undefined;

/**
 * Task of `sp-test-task` (H10): always the same pictures, whose answer is the first three cells in order.
 * Drawn in this thread, in about 20 ms, at the first request.
 */
export function testTask(): PreparedTask {
  const seed = new Uint8Array(16).fill(1);
  const answer = { ...ANSWER, cells: [...ANSWER.cells] };
  made ??= preparedTask({ type: "shapes", answer, media: render(answer, 0, seed) });
  return made;
}
