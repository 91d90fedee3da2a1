import { parentPort } from "node:worker_threads";
import { filter } from "../../abi/text/filter.js";
import { revived } from "../../abi/text/linear.js";
import { type FilterJob, type FilterResult, filterFault, TOO_LARGE } from "./filter-thread.js";

/** Thread script of `filter-thread.ts`. */
parentPort?.on("message", ({ filters, pieces }: FilterJob) => {
  const answer = filtered(filters, pieces);
  parentPort?.postMessage(answer, typeof answer === "string" ? [] : [answer.body.buffer as ArrayBuffer]);
});

function filtered(filters: FilterJob["filters"], pieces: readonly Uint8Array[]): FilterResult {
  try {
    let text = pieces.map((piece) => Buffer.from(piece.buffer).toString("latin1")).join("");
    for (const { rules, maxBytes, oversize } of filters) {
      if (text.length <= maxBytes)
        text = filter(rules.map((rule) => ({ ...rule, pattern: revived(rule.pattern) }))).apply(text);
      else if (oversize === "refuse") return TOO_LARGE;
    }
    const body = new Uint8Array(text.length);
    Buffer.from(body.buffer).write(text, "latin1");
    return { body };
  } catch (error) {
    return filterFault(error);
  }
}
