import type { AddedLine } from "../abi/text/header-edits.js";

/** Index of a received line with its edit, or -1 and an added line. Linked, since an array of one has room for 16. */
export interface Aside {
  lower: string;
  readonly index: number;
  readonly line: AddedLine | undefined;
  readonly before: Aside | undefined;
}

/** Name of a forgotten line; no header has it. */
export const FORGOTTEN = "";

/** Excludes a header from restoring, except Content-Encoding: nobody could read a body that leaves as received. */
export function forgetAside(last: Aside | undefined, lower: string): void {
  if (lower === "content-encoding") return;
  for (let aside = last; aside !== undefined; aside = aside.before)
    if (aside.lower === lower) aside.lower = FORGOTTEN;
}
