import type { Catalogue } from "../diagnostic.js";
import { buildCatalogue } from "./build-codes.js";

const REFUSED = "The generation is refused as a whole; the one before stays live and nothing has changed.";
const OURS =
  "The compiler and the runtime that run together always agree, so this points at a file that was changed by hand or at a fault of gwc.";

/** GW60xx: generations that a worker fails to prepare. The reason is the worker's own message. */
const refusals: Catalogue = {
  GW6001: {
    severity: "error",
    summary: "a module is not the one that was compiled",
    message: "{reason}",
    help: "build again; generated modules are not edited",
    explain: `Every module carries the hash of its text, and only text with the right hash is run. ${OURS} ${REFUSED}`,
  },
  GW6002: {
    severity: "error",
    summary: "modules for another runtime interface",
    message: "{reason}",
    help: "use the compiler and the runtime of one version of gwc",
    explain: `Modules and runtime agree on a numbered interface. Two versions of gwc are mixed, perhaps because a worker of the
old version was still running. ${REFUSED}`,
  },
  GW6003: {
    severity: "error",
    summary: "a module does not load",
    message: "{reason}",
    help: "please report this with the plan that `gwc plan` prints",
    explain: `A module was compiled but is no valid program, asks for something beyond the runtime's surface, or exports no pipeline.
${OURS} ${REFUSED}`,
  },
  GW6004: {
    severity: "error",
    summary: "a change that does not fit the live generation",
    message: "{reason}",
    help: "restart the worker: it then loads the whole generation",
    explain: `A change is compiled against one generation and can only follow that one. Here it names a module or an upstream that the
worker does not have, or removes one that is still in use. ${REFUSED}`,
  },
  GW6005: {
    severity: "error",
    summary: "an upstream needs an environment variable that is not set",
    message: "{reason}",
    help: "set the variable where the gateway runs, or give a default: ${{NAME:=default}}",
    explain: `Hosts of upstream nodes may name environment variables. They are not replaced when the configuration is built but by
the process that runs it, so that one build serves every environment:

\`\`\`yaml
upstreams:
  - id: orders
    nodes: [{ host: "\${{ORDERS_HOST}}", port: 8080 }]
\`\`\`

Here the process has no such variable. ${REFUSED}`,
  },
  GW6006: {
    severity: "error",
    summary: "an environment variable gives a node a host that is none",
    message: "{reason}",
    help: "a host is a name or an address, without scheme, port and path",
    explain: `After the environment variables of a node's host are replaced, the result must be a name or an IP address. A value such as
\`http://orders:8080\` is a common slip: the scheme belongs to the upstream and the port to the node. ${REFUSED}`,
  },
  GW6007: {
    severity: "error",
    summary: "a resource of a plugin cannot be opened",
    message: "{reason}",
    explain: `Before a generation becomes live, everything its modules share (a sink, a pool) is opened. A destination that is down is no
reason to refuse; settings that can never work are. ${REFUSED}`,
  },
  GW6008: {
    severity: "error",
    summary: "a certificate cannot be presented",
    message: "{reason}",
    help: "compare the key, which an environment variable or a file holds, with the certificate",
    explain: `A key that stands in an environment variable or a file is known only where the gateway runs: there it could not be read, or does not fit the certificate,
or its kind or strength is refused by TLS. ${REFUSED}`,
  },
};

export const load: Catalogue = {
  ...refusals,
  ...buildCatalogue,
};
