import { execFileSync } from "node:child_process";
import { basename, join } from "node:path";
import { type Origins, provenanceText } from "../compiler/7-build/provenance.js";
import {
  commandSigner,
  keySigner,
  type Signer,
  SigningError,
  signatureFile,
} from "../compiler/7-build/sign.js";
import { PROVENANCE_FILE, PROVENANCE_SIGNATURE_FILE, SIGNATURE_FILE } from "../runtime/abi/build-files.js";
import { MANIFEST_TYPE, PROVENANCE_TYPE } from "../runtime/abi/signature.js";
import { complain } from "./output.js";

export interface SigningOptions {
  sign?: string;
  /** Environment variable with the passphrase of the key. */
  signPassphrase?: string;
  signWith?: string;
}

/** Signer of the command line; "unusable", with a message on standard error, if it cannot be used. */
export function chosenSigner(options: SigningOptions): Signer | undefined | "unusable" {
  const { sign, signWith, signPassphrase: variable = "GWC_SIGN_PASSPHRASE" } = options;
  try {
    if (sign !== undefined) return keySigner(sign, { variable, value: process.env[variable] });
    return signWith === undefined ? undefined : commandSigner(signWith, process.env);
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    complain(error.message);
    return "unusable";
  }
}

/** Provenance and signatures of a build, from the text of its manifest. May throw a SigningError. */
export function unlistedFiles(
  signer: Signer | undefined,
  origins: Origins | undefined,
): (manifest: string) => ReadonlyMap<string, string> {
  return (manifest) => {
    const files = new Map<string, string>();
    const provenance = origins && provenanceText(manifest, { ...origins, revision: revisionOf(origins) });
    if (provenance !== undefined) files.set(PROVENANCE_FILE, provenance);
    if (signer === undefined) return files;
    files.set(SIGNATURE_FILE, signatureFile(signer, MANIFEST_TYPE, manifest));
    if (provenance !== undefined)
      files.set(PROVENANCE_SIGNATURE_FILE, signatureFile(signer, PROVENANCE_TYPE, provenance));
    return files;
  };
}

/** Undefined without git or a repository. */
function revisionOf({ sources }: Origins): Origins["revision"] {
  const files = sources.flatMap(({ name, folder }) =>
    folder === undefined ? [] : [{ folder, path: join(folder, basename(name)) }],
  );
  const folder = files[0]?.folder;
  if (folder === undefined) return undefined;
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const commit = git("rev-parse", "--verify", "HEAD");
    const changed = git("status", "--porcelain", "--", ...files.map(({ path }) => path)) !== "";
    return { commit, changed };
  } catch {
    return undefined;
  }
}
