import type { SignatureCheck, TrustedKey } from "../../abi/signature.js";

/** Reason why a build was rejected; `code` is the diagnostic's, `params` fill its message. */
export class BuildError extends Error {
  readonly code: string;
  readonly params: Readonly<Record<string, string | number>>;

  constructor(code: string, params: Readonly<Record<string, string | number>>) {
    super(`error ${code}: the build in ${params["directory"]} ${wording(code, params)}`);
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

/** Words of its own: the compiler, which has the catalogue, need not be installed to run a build. */
function wording(code: string, params: BuildError["params"]): string {
  const { file, what, found, expected, keys, signers, reason } = params;
  switch (code) {
    case "GW6103":
      return "has no readable manifest.json: name a directory that gwc build wrote";
    case "GW6104":
      return `has ${what} ${found}, this gwc needs ${what} ${expected}: build again with this gwc`;
    case "GW6105":
      return `has a changed ${file}: change the configuration and build again`;
    case "GW6106":
      return `has no ${file}: copy the whole build, or build again`;
    case "GW6110":
      return "is not signed, and only signed builds run here: build it with --sign";
    case "GW6111":
      return `is signed by ${signers}, and the trusted keys are ${keys}: sign the build with a trusted key`;
    case "GW6112":
      return `has a manifest.json that differs from the one that key ${keys} signed: use the build as it was signed`;
    case "GW6113":
      return `cannot be verified with the key ${file}: ${reason}`;
    case "GW6114":
      return "has a damaged manifest.sig: use the build as it was signed";
    case "GW6116":
      return `has a provenance.json that ${reason}: build it again with --provenance`;
    case "GW6117":
      return `lists ${JSON.stringify(file)}, which ${reason}: use the build as it was written, or build again`;
    case "GW6118":
      return `contains ${file}, which is not read: ${reason}; copy the whole build, or build again`;
    default:
      return `contains ${file}, which the build did not write: remove it, or build again`;
  }
}
