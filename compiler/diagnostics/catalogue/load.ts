import type { Catalogue } from "../../model/diagnostic.js";
import { buildCatalogue } from "./build-codes.js";

const REFUSED = "The whole generation is discarded; the previous one stays live.";
const OURS =
  "The compiler and the runtime of one version always agree, so either a file was edited by hand or gwc has a bug.";

/** GW60xx: generations that a worker fails to prepare. The reason is the worker's own message. */
const refusals: Catalogue = {
  GW6001: {
    severity: "error",
    summary: "a module is not the one that was compiled",
    message: "{reason}",
    help: "build again, and do not edit generated modules",
    explain: `Every module is published with the hash of its code, and a worker runs only code with that hash. ${OURS} ${REFUSED}`,
  },
  GW6002: {
    severity: "error",
    summary: "modules for another runtime interface",
    message: "{reason}",
    help: "use the compiler and the runtime of one version of gwc",
    explain: `Modules and runtime agree on a numbered interface. Two versions of gwc are mixed, perhaps because a worker of the
old version is still running. ${REFUSED}`,
  },
  GW6003: {
    severity: "error",
    summary: "a module does not load",
    message: "{reason}",
    help: "please report this with the plan that `gwc plan` prints",
    explain: `The module is not a valid program, uses something outside of the runtime interface, or exports no pipeline.
${OURS} ${REFUSED}`,
  },
  GW6004: {
    severity: "error",
    summary: "a change that does not fit the live generation",
    message: "{reason}",
    help: "restart the worker, so that it loads the whole generation",
    explain: `A change is compiled for one generation and applies only to that one. This change refers to a module or an upstream that the
worker does not have, or removes one that is still in use. ${REFUSED}`,
  },
  GW6005: {
    severity: "error",
    summary: "an upstream needs an environment variable that is not set",
    message: "{reason}",
    help: "set the variable where the gateway runs, or give a default: ${{NAME:=default}}",
    explain: `Hosts of upstream nodes may refer to environment variables. The gateway resolves them when it runs, not \`gwc build\`, so that one
build serves every environment:

\`\`\`yaml
upstreams:
  - id: orders
    nodes: [{ host: "\${{ORDERS_HOST}}", port: 8080 }]
\`\`\`

The process has no such variable. ${REFUSED}`,
  },
  GW6006: {
    severity: "error",
    summary: "an environment variable with an invalid host of a node",
    message: "{reason}",
    help: "set it to a name or an address, without scheme, port and path",
    explain: `After environment variables are resolved, the host of a node must be a name or an IP address. A common mistake is a value such
as \`http://orders:8080\`: the scheme belongs to the upstream and the port to the node. ${REFUSED}`,
  },
  GW6007: {
    severity: "error",
    summary: "a shared resource of a plugin cannot be opened",
    message: "{reason}",
    explain: `Before a generation becomes live, a worker opens its shared resources, such as sinks and pools. Settings that can never work
fail here; a destination that is down does not. ${REFUSED}`,
  },
  GW6008: {
    severity: "error",
    summary: "a certificate cannot be presented",
    message: "{reason}",
    help: "check that the key in the environment variable or file fits the certificate",
    explain: `A key in an environment variable or a file is read only when the gateway runs. It could not be read, does not fit the certificate,
or TLS does not accept its kind or size. ${REFUSED}`,
  },
};

export const load: Catalogue = {
  ...refusals,
  ...buildCatalogue,
};
