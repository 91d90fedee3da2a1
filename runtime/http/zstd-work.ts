import { parentPort } from "node:worker_threads";
import { ZstdJobs, type ZstdRequest } from "./zstd-thread.js";

const jobs = new ZstdJobs((answer) =>
  parentPort?.postMessage(answer, "piece" in answer ? [answer.piece.buffer as ArrayBuffer] : []),
);
parentPort?.on("message", (request: ZstdRequest) => jobs.asked(request));
