import type { SignatureCheck, TrustedKey } from "../../abi/signature.js";

/** Words of its own: the compiler, which has the catalogue, need not be installed to run a build. */
const WORDING: Readonly<Record<string, (params: BuildError["params"]) => string>> = {
  GW6103: () => "has no readable manifest.json: name a directory that gwc build wrote",
  GW6104: ({ what, found, expected }) =>
    `has ${what} ${found}, this gwc needs ${what} ${expected}: build again with this gwc`,
  GW6105: ({ file }) => `has a changed ${file}: change the configuration and build again`,
  GW6106: ({ file }) => `has no ${file}: copy the whole build, or build again`,
  GW6107: ({ file }) => `contains ${file}, which the build did not write: remove it, or build again`,
  GW6110: () => "is not signed, and only signed builds run here: build it with --sign",
  GW6111: ({ signers, keys }) =>
    `is signed by ${signers}, and the trusted keys are ${keys}: sign the build with a trusted key`,
  GW6112: ({ keys }) =>
    `has a manifest.json that differs from the one that key ${keys} signed: use the build as it was signed`,
  GW6113: ({ file, reason }) => `cannot be verified with the key ${file}: ${reason}`,
  GW6114: () => "has a damaged manifest.sig: use the build as it was signed",
  GW6116: ({ reason }) => `has a provenance.json that ${reason}: build it again with --provenance`,
  GW6117: ({ file, reason }) =>
    `lists ${JSON.stringify(file)}, which ${reason}: use the build as it was written, or build again`,
  GW6118: ({ file, reason }) =>
    `contains ${file}, which is not read: ${reason}; copy the whole build, or build again`,
};

/** Reason why a build was rejected; `code` is the diagnostic's, `params` fill its message. */
export class BuildError extends Error {
  readonly code: string;
  readonly params: Readonly<Record<string, string | number>>;

  constructor(code: string, params: Readonly<Record<string, string | number>>) {
    super(`error ${code}: the build in ${params["directory"]} ${WORDING[code]?.(params)}`);
    this.code = code;
    this.params = params;
  }

  static ofSignature(
    directory: string,
    { why, others }: Exclude<SignatureCheck, { ok: true }>,
    keys: readonly TrustedKey[],
  ): BuildError {
    if (why === "damaged") return new BuildError("GW6114", { directory });
    const known = keys.map(({ id }) => id).join(", ");
    if (why === "altered") return new BuildError("GW6112", { directory, keys: known });
    const signers = others.map((id) => (id === "" ? "an unnamed key" : `key ${id}`)).join(", ");
    return new BuildError("GW6111", { directory, signers, keys: known });
  }
}
