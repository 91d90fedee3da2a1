import { escapeUnseen, visible, visibleLine } from "../abi/text/unseen.js";

/** Prints one line on standard error. Control characters in arguments and file names are shown as \uXXXX. */
export const complain = (text: string): void => {
  process.stderr.write(`gwc: ${visibleLine(text)}\n`);
};

/** Prints a text of several lines, such as an error with its diagnostics, on standard error. */
export const complainInLines = (text: string): void => {
  process.stderr.write(`gwc: ${visible(text)}\n`);
};

/** Prints a document on standard output, with control characters as JSON escapes. */
export const printJson = (value: unknown): void => {
  process.stdout.write(`${escapeUnseen(JSON.stringify(value, null, 2))}\n`);
};
