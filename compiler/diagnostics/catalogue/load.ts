import type { Catalogue } from "../../model/diagnostic.js";

const REFUSED = "The whole generation is discarded; the previous one stays live.";
const OURS =
  "The compiler and the runtime of one version always agree, so either a file was edited by hand or gwc has a bug.";

/**
 * GW60xx: generations that a worker fails to prepare. The reason is the worker's own message.
 * GW61xx: writing a build by `gwc build`, and reading it by `gwc run dist/`.
 */
export const load: Catalogue = {
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
  GW6101: {
    severity: "error",
    summary: "a directory that is not a build would be overwritten",
    message: '"{directory}" contains files that `gwc build` did not write',
    help: "build into an empty directory, or remove this one first",
    explain: `\`gwc build\` replaces the whole directory. To protect other files from a wrong \`--out\`, it replaces a directory that is not empty
only if a \`manifest.json\` shows that an earlier build wrote it.`,
  },
  GW6102: {
    severity: "error",
    summary: "a build could not be written",
    message: '"{directory}" cannot be written: {reason}',
    explain:
      "gwc writes the build to a temporary directory and renames it afterwards, so the earlier build is still in place.",
  },
  GW6103: {
    severity: "error",
    summary: "a directory that is not a build",
    message: '"{directory}" has no readable manifest.json of a build',
    help: "build it with `gwc build --out {directory}`",
    explain: "`gwc run dist/` runs only what `gwc build` wrote. The manifest lists every file with its hash.",
  },
  GW6104: {
    severity: "error",
    summary: "a build of another gwc",
    message: '"{directory}" has {what} {found}, this gwc needs {what} {expected}',
    help: "build again with this gwc",
    explain: `The files of a build have a numbered format, and generated modules agree with the runtime on a numbered interface (ABI).
The gateway rejects a build of another format or ABI before it reads any other file of it.`,
  },
  GW6105: {
    severity: "error",
    summary: "a file of a build was changed",
    message: '"{file}" in "{directory}" is not the file that was built',
    help: "change the configuration and build again",
    explain:
      "Each file must have the hash that the manifest lists. Only the compiler writes generated modules; do not edit them.",
  },
  GW6106: {
    severity: "error",
    summary: "a file of a build is missing",
    message: '"{file}" is missing in "{directory}"',
    help: "copy the whole directory, or build again",
    explain: "Every file that the manifest lists must exist.",
  },
  GW6107: {
    severity: "error",
    summary: "a file that does not belong to a build",
    message: '"{file}" in "{directory}" is not part of the build',
    help: "remove it",
    explain:
      "The manifest lists every file of a build. If there is any other file, gwc did not write it, and nothing is loaded.",
  },
  GW6108: {
    severity: "warning",
    summary: "a plain-text secret that a build omits",
    message: '"{setting}" is a plain-text secret, so the build omits it',
    help: "write ${{VAR}} instead: the gateway resolves it from the environment when it runs",
    explain: `Builds are reviewed and copied to machines, so they contain no secrets. A reference such as \`${"${{GW_ADMIN_KEY}}"}\` stays a
reference, and the gateway resolves it when it runs. A list item with a plain-text key is omitted as a whole.`,
  },
  GW6109: {
    severity: "error",
    summary: "a plain-text secret of a plugin, which a build cannot contain",
    message: '"{setting}" is a plain-text secret, and a build contains no secrets',
    help: "write ${{VAR}} instead: the gateway resolves it from the environment when it runs",
    explain: `Builds are reviewed and copied to machines, so they contain no secrets, and the plugin cannot work without this one.
\`gwc run\` with configuration files, and the admin API, accept it and keep it out of plans and modules.

\`\`\`yaml
sasl_config: { user: logs, password: "\${{KAFKA_PASSWORD}}" }
\`\`\``,
  },
  GW6110: {
    severity: "error",
    summary: "a build without a signature",
    message: '"{directory}" is not signed, and only signed builds run here',
    help: "build it with `gwc build --sign KEY`",
    explain: `With \`gwc run --verify KEY\`, or GWC_VERIFY_KEY, only builds run that are signed by one of these keys. This one has no
\`manifest.sig\`: it was built without \`--sign\`, or the file was not copied with the directory.`,
  },
  GW6111: {
    severity: "error",
    summary: "a build signed by a key that is not trusted",
    message: '"{directory}" is signed by {signers}, and the trusted keys are {keys}',
    help: "sign the build with a trusted key",
    explain: `None of the trusted keys made the signature. A key is identified by the first 16 hexadecimal digits of the SHA-256 of its
public part. When you rotate keys, trust both the old and the new one until no build of the old one is in use.`,
  },
  GW6112: {
    severity: "error",
    summary: "a signed manifest that was changed",
    message: 'manifest.json in "{directory}" differs from the one that key {keys} signed',
    help: "use the build as it was signed",
    explain: `\`manifest.sig\` names a trusted key, but is not its signature of this manifest: one of the two files was changed, or they
belong to different builds. No other file of such a build is read.`,
  },
  GW6113: {
    severity: "error",
    summary: "a key that cannot verify builds",
    message: '"{directory}" cannot be verified with the key {file}: {reason}',
    explain: `A verification key is a public key in PEM format: Ed25519, ECDSA P-256, or RSA with at least 2,048 bits. The gateway reads it at
each start and reload, so do not move or delete the file.

\`\`\`sh
openssl genpkey -algorithm ed25519 -out build.key
openssl pkey -in build.key -pubout -out build.pub
\`\`\``,
  },
  GW6114: {
    severity: "error",
    summary: "a damaged signature file",
    message: 'manifest.sig in "{directory}" is damaged',
    help: "use the build as it was signed",
    explain: '`manifest.sig` is JSON: `{ "signatures": [{ "keyid": "…", "sig": "base64" }] }`.',
  },
  GW6115: {
    severity: "error",
    summary: "a build that could not be signed",
    message: "the build could not be signed: {reason}",
    explain: `Nothing was written, so an earlier build is still in place. The program of \`--sign-with\` receives the data to sign on its
standard input and prints the signature, raw or in base64, within 60 s. It is started without a shell: if it needs one, write
\`--sign-with "sh -c '…'"\`.`,
  },
  GW6116: {
    severity: "error",
    summary: "provenance of another build",
    message: 'provenance.json in "{directory}" {reason}',
    help: "build again with `--provenance`",
    explain: `The provenance statement contains the SHA-256 of the manifest, and in a signed build the same key signs it.
\`gwc verify\` checks both. The gateway itself does not read the statement.`,
  },
  GW6117: {
    severity: "error",
    summary: "a manifest that names a file outside of its build",
    message: '"{directory}" lists "{file}", which {reason}',
    help: "use the build as it was written, or build again",
    explain: `All files of a build are inside its directory: gwc never writes a path that is absolute, contains ".." or leads into ".git". It
does not read, run or write any file of this build.`,
  },
  GW6118: {
    severity: "error",
    summary: "a file of a build that is not read",
    message: '{file} in "{directory}" is not read: {reason}',
    help: "copy the whole build, or build again",
    explain: `Files of a build are regular files, or links to them, of at most 536,870,888 bytes; a signature has at most 65,536. A FIFO would
block the start, and a device would fill the memory, before anything is verified.`,
  },
};
