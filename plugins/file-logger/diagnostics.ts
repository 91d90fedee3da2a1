import type { Catalogue } from "../../compiler/plugin-api.js";

/** GW215x: values of file-logger. */
export const DIAGNOSTICS: Catalogue = {
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
