import { parentPort } from "node:worker_threads";
import { giveWayToRequests } from "../thread-priority.js";
import { memoryHash } from "./argon2.js";
import type { HashAnswer, HashJob } from "./memory-checks.js";

giveWayToRequests();

parentPort?.on("message", async ({ id, salt, index, size }: HashJob) => {
  const answer: HashAnswer = { id, hash: await memoryHash(salt, index, size) };
  parentPort?.postMessage(answer);
});
