import { complain } from "../runtime/process/complain.js";

export { complain, complainInLines, printJson } from "../runtime/process/complain.js";

/** Prints one line on standard error. @returns the exit code */
export function failed(text: string, code: number): number {
  complain(text);
  return code;
}
