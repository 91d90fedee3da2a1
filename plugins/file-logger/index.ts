import { defineLogger } from "../../compiler/logger-api.js";
import type { Catalogue, TextFormats } from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { FileLogger } from "./schema.gen.js";

/** Checks that patterns cannot express. */
const FORMATS: TextFormats = {
  "log-path": { code: "GW2150", errorText: "invalid path of a log file", fault: pathFault },
};

function pathFault(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return "it has a control character";
  if (/(?:^|\/)\.{0,2}$/.test(path)) return "it is a folder";
  return undefined;
}

/** GW215x: values of file-logger. */
const DIAGNOSTICS: Catalogue = {
  GW2150: {
    severity: "error",
    summary: "invalid path of a log file",
    message: "{label} is not a valid path of a log file: {reason}",
    help: 'write the full path of a file, such as "/var/log/gwc/orders.log"',
    explain: `The folder of the file must exist; the gateway creates the file, but not the folder. A path that does not begin with \`/\` is
relative to the working directory of the gateway.

\`\`\`yaml
file-logger: { path: /var/log/gwc/orders.log }
file-logger: { path: /var/log/gwc/ }             # GW2150
\`\`\``,
  },
};

export const fileLogger = {
  moduleUrl: import.meta.url,
  priority: 399,
  formats: FORMATS,
  diagnostics: DIAGNOSTICS,
  ...defineLogger<FileLogger>({
    name: "file-logger",
    defaults: DEFAULTS,
    plan({ value: { path, max_bytes: maxBytes, keep } }) {
      const rotation = maxBytes !== undefined && { maxBytes, keep };
      const idle = rotation ? [] : [{ field: "keep", because: "without max_bytes no file is renamed" }];
      return { destination: { path, ...rotation }, idle };
    },
    label: ({ path }) => `log file ${String(path).replace(/^.*\//s, "")}`,
    describe: ({ path }) => String(path),
  }),
};
