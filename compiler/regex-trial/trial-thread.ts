/** The thread that tries patterns, one after another: a search that does not end is ended with it. Started by `trials.ts`. */
import { parentPort } from "node:worker_threads";
import type { AskedRegex } from "./asked.js";
import type { JudgedRegex } from "./judged.js";
import { type TriedRegex, tryRegex } from "./trial.js";

/** What the thread says of each pattern: first what is known without a search. */
export type TrialNews = { judged: JudgedRegex } | { tried: TriedRegex };

const tell = (news: TrialNews) => parentPort?.postMessage(news);

parentPort?.on("message", (asked: AskedRegex) => {
  tell({ tried: tryRegex(asked, (judged) => tell({ judged })) });
});
