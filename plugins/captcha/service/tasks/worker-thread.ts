import { parentPort } from "node:worker_threads";
import { giveWayToRequests } from "../thread-priority.js";
import { newTask } from "./render.js";
import type { RenderAnswer, RenderJob } from "./render-thread.js";

giveWayToRequests();

parentPort?.on("message", ({ id, type, level }: RenderJob) => {
  const begin = performance.now();
  const task = newTask(type, level);
  const answer: RenderAnswer = { id, task, ms: performance.now() - begin };
  parentPort?.postMessage(
    answer,
    task.media.map(({ bytes }) => bytes.buffer),
  );
});
