/** The thread that tries patterns, one after another: a search that does not end is ended with it. Started by `trials.ts`. */
import { parentPort } from "node:worker_threads";
import type { CompiledFilter } from "./compiled-filter.js";
import type { RegexTestInput } from "./test-input.js";
import { type RegexTestResult, testRegex } from "./test-regex.js";

/** What the thread says of each pattern: first what is known without a search. */
export type TesterMessage = { judged: CompiledFilter } | { tried: RegexTestResult };

const tell = (news: TesterMessage) => parentPort?.postMessage(news);

parentPort?.on("message", (asked: RegexTestInput) => {
  tell({ tried: testRegex(asked, (judged) => tell({ judged })) });
});
