/** "too large": the text of a replacement is longer than V8's strings, 512 MB. */
export type FilterFault = "too large" | "out of stack";

export const FAULT_REASONS: Readonly<Record<FilterFault, string>> = {
  "too large": "a filter made the body too large",
  "out of stack":
    "a regular expression of a filter needs more stack for the body than its engine has (64 MB)",
};

/** Classifies an error of a filter: V8 says in words alone which of its limits a RangeError is about. */
export function filterFault(error: unknown): FilterFault {
  return error instanceof RangeError && error.message.includes("call stack") ? "out of stack" : "too large";
}
