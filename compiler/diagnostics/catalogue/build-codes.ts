import type { Catalogue } from "../diagnostic.js";

/** GW61xx: writing a build by `gwc build`, and reading it by `gwc run dist/`. */
export const buildCatalogue: Catalogue = {
  GW6101: {
    severity: "error",
    summary: "a directory that is not a build would be overwritten",
    message: '"{directory}" holds files that `gwc build` did not write',
    help: "build into an empty directory, or remove this one first",
    explain: `A build replaces its directory as a whole. So that a wrong \`--out\` costs nothing, a directory with content is only
replaced when its \`manifest.json\` says that an earlier build wrote it.`,
  },
  GW6102: {
    severity: "error",
    summary: "a build could not be written",
    message: '"{directory}" cannot be written: {reason}',
    explain:
      "The build is written beside the target and then renamed, so the earlier build is still in place.",
  },
  GW6103: {
    severity: "error",
    summary: "a directory that is not a build",
    message: '"{directory}" has no readable manifest.json of a build',
    help: "build it with `gwc build --out {directory}`",
    explain:
      "`gwc run dist/` runs what `gwc build` wrote, and nothing else: the manifest lists every file with its hash.",
  },
  GW6104: {
    severity: "error",
    summary: "a build for another runtime",
    message: '"{directory}" was built for runtime interface {abi}, this one is {expected}',
    help: "build again with this version of gwc",
    explain: `Generated modules and the runtime agree on a numbered interface. A build of an older or newer compiler is refused before
any of it is loaded.`,
  },
  GW6105: {
    severity: "error",
    summary: "a file of a build was changed",
    message: '"{file}" in "{directory}" is not the file that was built',
    help: "change the configuration and build again",
    explain:
      "Each file must have the hash that the manifest gives. Generated modules are read by people and written by the compiler alone.",
  },
  GW6106: {
    severity: "error",
    summary: "a file of a build is missing",
    message: '"{file}" is missing in "{directory}"',
    help: "copy the whole directory, or build again",
    explain: "Every file that the manifest names must be there.",
  },
  GW6107: {
    severity: "error",
    summary: "a file that does not belong to a build",
    message: '"{file}" in "{directory}" is not part of the build',
    help: "remove it",
    explain:
      "The manifest names every file of a build. A file beside them was put there by somebody else, so nothing is loaded.",
  },
  GW6108: {
    severity: "warning",
    summary: "a secret that a build leaves out",
    message: '"{setting}" is a secret written in the configuration, so the build leaves it out',
    help: "write ${{VAR}} instead: it is resolved from the environment when the gateway runs",
    explain: `A build is read in reviews and copied to machines, so no secret is in it. A reference like \`${"${{GW_ADMIN_KEY}}"}\` stays as
it is and is resolved where the gateway runs; a key in a list that is written out is left out of the build with its list item.`,
  },
  GW6109: {
    severity: "error",
    summary: "a secret of a plugin that a build cannot carry",
    message: '"{setting}" is a secret written in the configuration, and a build carries no secrets',
    help: "write ${{VAR}} instead: it is resolved from the environment when the gateway runs",
    explain: `A build is read in reviews and copied to machines, so no secret is in it, and without this one the plugin could not work.
\`gwc run\` of the configuration itself, and the admin API, take it as it is and keep it apart from plans and modules.

\`\`\`yaml
sasl_config: { user: logs, password: "\${{KAFKA_PASSWORD}}" }
\`\`\``,
  },
  GW6110: {
    severity: "error",
    summary: "a build that nobody has signed",
    message: '"{directory}" is not signed, and only signed builds run here',
    help: "build it with `gwc build --sign KEY`",
    explain: `\`gwc run --verify KEY\`, or GWC_VERIFY_KEY, lets only builds run that one of these keys has signed. This one has no
\`manifest.sig\`: it was built without \`--sign\`, or the file was left behind when the directory was copied.`,
  },
  GW6111: {
    severity: "error",
    summary: "a build that nobody trusted has signed",
    message: '"{directory}" is signed by {signers}, and trusted here is {keys}',
    help: "build it with a key that is trusted here",
    explain: `The signature is not of any key that was named. A key is known by the first 16 hexadecimal digits of the sha256 of its
public part; after a change of keys, name the old and the new one until no build of the old one is left.`,
  },
  GW6112: {
    severity: "error",
    summary: "a signed manifest that was changed",
    message: '"{directory}" has another manifest.json than key {keys} has signed',
    help: "take the build as it was signed",
    explain: `\`manifest.sig\` names a trusted key, and is not its signature of this manifest: one of the two was changed, or they are of
two builds. Nothing of such a build is looked at.`,
  },
  GW6113: {
    severity: "error",
    summary: "a key that builds cannot be verified with",
    message: '"{directory}" cannot be verified with the key {file}: {reason}',
    explain: `A key to verify with is a public one in PEM form: Ed25519, ECDSA P-256, or RSA with at least 2,048 bits. It is read at each
start and reload, so it has to stay where it is.

\`\`\`sh
openssl genpkey -algorithm ed25519 -out build.key
openssl pkey -in build.key -pubout -out build.pub
\`\`\``,
  },
  GW6114: {
    severity: "error",
    summary: "a damaged signature file",
    message: 'manifest.sig in "{directory}" is damaged',
    help: "take the build as it was signed",
    explain: '`manifest.sig` is JSON: `{ "signatures": [{ "keyid": "…", "sig": "base64" }] }`.',
  },
  GW6115: {
    severity: "error",
    summary: "a build that could not be signed",
    message: "the build could not be signed: {reason}",
    explain: `Nothing was written, so an earlier build is still in place. The program that \`--sign-with\` names gets what is to be signed
on its standard input and prints the signature, raw or in base64, within 60 s. It is started without a shell: who needs one writes
\`--sign-with "sh -c '…'"\`.`,
  },
  GW6116: {
    severity: "error",
    summary: "provenance of another build",
    message: 'provenance.json in "{directory}" {reason}',
    help: "build again with `--provenance`",
    explain: `The statement beside a build names the sha256 of its manifest, and where the build is signed it is signed by the same key.
\`gwc verify\` compares both; nothing that runs depends on it.`,
  },
  GW6117: {
    severity: "error",
    summary: "a manifest that names a file outside of its build",
    message: '"{directory}" lists "{file}", which {reason}',
    help: "take the build as it was written, or build again",
    explain: `Files of a build lie below it: a path that is absolute, holds ".." or leads into a ".git" is of no build that gwc wrote. Nothing
of it is read, run or written.`,
  },
  GW6118: {
    severity: "error",
    summary: "a file of a build that is not read",
    message: '{file} in "{directory}" is not read: {reason}',
    help: "copy the build whole, or build again",
    explain: `Files of a build are regular files, or links to such files, of at most 536,870,888 bytes, a signature 65,536: a FIFO would hold up
the start, and a device would fill the memory, before anything is verified.`,
  },
};
