import { commandSigner, keySigner, type Signer, SignFault, signatureFile } from "../compiler/dist/sign.js";
import { SIGNATURE_FILE } from "../runtime/abi/build-files.js";
import { MANIFEST_TYPE } from "../runtime/abi/signature.js";

export interface SigningOptions {
  /** File of a private key. */
  sign?: string;
  /** Environment variable with the passphrase of it. */
  signPassphrase?: string;
  /** Command of a signer. */
  signWith?: string;
}

/** The signer that the command line names; "unusable" (and said) when there is none of that kind. */
export function chosenSigner(options: SigningOptions): Signer | undefined | "unusable" {
  const { sign, signWith, signPassphrase: variable = "GWC_SIGN_PASSPHRASE" } = options;
  try {
    if (sign !== undefined) return keySigner(sign, { variable, value: process.env[variable] });
    return signWith === undefined ? undefined : commandSigner(signWith, process.env);
  } catch (error) {
    if (!(error instanceof SignFault)) throw error;
    process.stderr.write(`gwc: ${error.message}\n`);
    return "unusable";
  }
}

/** Signatures of a build, by the text of its manifest. @throws SignFault */
export function besideManifest(signer: Signer): (manifest: string) => ReadonlyMap<string, string> {
  return (manifest) => new Map([[SIGNATURE_FILE, signatureFile(signer, MANIFEST_TYPE, manifest)]]);
}
