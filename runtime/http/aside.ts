import type { AddedLine } from "../abi/text/header-edits.js";

/** A line put aside: the number of a received one with its edit, or -1 and an added one. A list of its own would have room for 16. */
export interface Aside {
  lower: string;
  readonly index: number;
  readonly line: AddedLine | undefined;
  readonly before: Aside | undefined;
}

/** No field has this name. */
export const FORGOTTEN = "";

/**
 * Leaves the lines of a field out of those that are brought back. The coding of the bytes stays: without it nobody could read the body
 * that leaves as it came.
 */
export function forgetAside(last: Aside | undefined, lower: string): void {
  if (lower === "content-encoding") return;
  for (let aside = last; aside !== undefined; aside = aside.before)
    if (aside.lower === lower) aside.lower = FORGOTTEN;
}
