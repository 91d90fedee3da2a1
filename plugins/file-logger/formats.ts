import type { TextFormats } from "../../compiler/plugin-api.js";

/** Checks that patterns cannot express. */
export const FORMATS: TextFormats = {
  "log-path": { code: "GW2150", errorText: "invalid path of a log file", fault: pathFault },
};

function pathFault(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return "it has a control character";
  if (/(?:^|\/)\.{0,2}$/.test(path)) return "it is a folder";
  return undefined;
}
