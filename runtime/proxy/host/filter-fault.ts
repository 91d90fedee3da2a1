import { messageOf } from "../../abi/error-message.js";

/** Reason for a text that is longer than V8's strings, 512 MB, or than the next filter accepts. */
export const TOO_LARGE = "a filter made the body too large";

/** V8 keeps the backtracking state of a regular expression on a stack of 64 MB. */
const OUT_OF_STACK = "a filter needs more stack for the body than available (64 MB for a regular expression)";

/** Returns the reason why a filter failed. V8 names the exceeded limit only in the message. */
export function filterFault(error: unknown): string {
  const message = messageOf(error);
  if (error instanceof RangeError && message.includes("call stack")) return OUT_OF_STACK;
  const isTooLong = error instanceof RangeError && message === "Invalid string length";
  if (isTooLong || (error as { code?: unknown } | null)?.code === "ERR_STRING_TOO_LONG") return TOO_LARGE;
  return `a filter failed: ${message}`;
}
