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

/** Leaves the lines of a field out of those that are brought back. */
export function forgetAside(last: Aside | undefined, lower: string): void {
  for (let aside = last; aside !== undefined; aside = aside.before)
    if (aside.lower === lower) aside.lower = FORGOTTEN;
}
