import { type AddedLine, addedLine } from "../../abi/text/header-edits.js";

let line = addedLine("date", "Date", "");
let second = 0;

/** Date of the present second (RFC 9110 section 5.6.7), made once a second. */
export function dateLine(): AddedLine {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    line = addedLine("date", "Date", new Date(now * 1_000).toUTCString());
  }
  return line;
}
