import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { newTask } from "./render.js";
import type { RenderAnswer, RenderJob } from "./render-thread.js";

// On Linux the priority is the calling thread's: pictures wait for requests, not the other way round.
if (process.platform === "linux")
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid the call; then both are as important.
  }

parentPort?.on("message", ({ id, type, level }: RenderJob) => {
  const begin = performance.now();
  const task = newTask(type, level);
  const answer: RenderAnswer = { id, task, ms: performance.now() - begin };
  parentPort?.postMessage(
    answer,
    task.media.map(({ bytes }) => bytes.buffer),
  );
});
