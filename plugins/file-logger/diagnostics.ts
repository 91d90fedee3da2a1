import type { Catalogue } from "../../compiler/diagnostics/diagnostic.js";

/** GW215x: values of file-logger. */
export const DIAGNOSTICS: Catalogue = {
  GW2150: {
    severity: "error",
    summary: "invalid path of a log file",
    message: "{label} is not a file to write records to: {reason}",
    help: 'write the whole path of a file, such as "/var/log/gwc/orders.log"',
    explain: `The path names a file in a folder that exists; the gateway makes the file, and not the folder. A path that does not begin with
\`/\` begins where the gateway was started.

\`\`\`yaml
file-logger: { path: /var/log/gwc/orders.log }
file-logger: { path: /var/log/gwc/ }             # GW2150
\`\`\``,
  },
};
