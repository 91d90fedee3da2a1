/** Tests one pattern after another; `regex-tester.ts` starts it, and ends it with a search that does not end. */
import { parentPort } from "node:worker_threads";
import type { CompiledFilter } from "./compiled-filter.js";
import type { RegexTestInput } from "./test-input.js";
import { type RegexTestResult, testRegex } from "./test-regex.js";

/** First the result of the analysis, without a search. */
export type TesterMessage = { judged: CompiledFilter } | { tried: RegexTestResult };

const tell = (news: TesterMessage) => parentPort?.postMessage(news);

parentPort?.on("message", (asked: RegexTestInput) => {
  tell({ tried: testRegex(asked, (judged) => tell({ judged })) });
});
