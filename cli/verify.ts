import { join } from "node:path";
import { PROVENANCE_FILE, PROVENANCE_SIGNATURE_FILE, UNLISTED_FILES } from "../runtime/abi/build-files.js";
import { sha256 } from "../runtime/abi/hash.js";
import { MAX_FILE_BYTES, readRegularFile, unreadableReason } from "../runtime/abi/regular-file.js";
import {
  checkSignature,
  KeyError,
  MANIFEST_TYPE,
  PROVENANCE_TYPE,
  readTrustedKeys,
  type TrustedKey,
} from "../runtime/abi/signature.js";
import { visibleLine } from "../runtime/abi/text/unseen.js";
import { namedKeys } from "../runtime/control/launch-settings.js";
import { BuildError } from "../runtime/proxy/host/build-error.js";
import {
  filesBelow,
  type Manifest,
  manifestIn,
  readManifestBytes,
  signatureText,
} from "../runtime/proxy/host/build-reader.js";
import { complain, failed, pluralize, printJson } from "./output.js";

interface VerifyOptions {
  key?: string[];
  format: "text" | "json";
}

/** Output of `gwc verify --format json`. */
interface Verified {
  ok: boolean;
  directory: string;
  /** SHA-256 of the manifest, by which provenance and registries identify a build. */
  manifest?: string;
  version?: string;
  files?: number;
  /** none: the build has no signature; unchecked: no key was given to check it. */
  signature?: "none" | "unchecked" | "good" | "bad";
  /** The key of a valid signature. */
  signed_by?: { id: string; file: string };
  faults: { code: string; file?: string; message: string }[];
}

/**
 * `gwc verify`: lists every fault of a build, whereas a start reports only the first. Exit codes: 0 good, 1
 * bad, 2 missing or unusable keys. Without a key, an unsigned build is good if it is complete, and a signed
 * one exits with 2: a missing `--key` must not pass for a check of the signature.
 */
export async function verify(directory: string, options: VerifyOptions): Promise<number> {
  let keys: TrustedKey[] | undefined;
  try {
    const named = options.key ?? namedKeys();
    keys = named && readTrustedKeys(named);
  } catch (error) {
    const file = error instanceof KeyError ? `${error.file}: ` : "";
    return failed(`${file}${(error as Error).message}`, 2);
  }
  const verified = verifiedBuild(directory, keys);
  if (options.format === "json") printJson(verified);
  else tell(verified);
  if (verified.signature === "unchecked" && verified.ok) return 2;
  return verified.ok ? 0 : 1;
}

function verifiedBuild(directory: string, keys: readonly TrustedKey[] | undefined): Verified {
  const faults: BuildError[] = [];
  const found: Partial<Verified> = {};
  try {
    const bytes = readManifestBytes(directory);
    found.manifest = sha256(bytes);
    const by = keys && signerOf(directory, bytes, keys);
    if (by instanceof BuildError) faults.push(by);
    else if (by) found.signed_by = { id: by.id, file: by.file };
    found.signature = signatureOf(directory, by);
    const manifest = manifestIn(directory, bytes.toString("utf8"));
    found.version = manifest.version;
    found.files = Object.keys({ ...manifest.files, ...manifest.maps }).length;
    faults.push(...otherFiles(directory, manifest));
    const reason = provenanceFault(directory, found.manifest, keys);
    if (reason !== undefined)
      faults.push(new BuildError("GW6116", { directory, file: PROVENANCE_FILE, reason }));
  } catch (error) {
    faults.push(error instanceof BuildError ? error : new BuildError("GW6103", { directory }));
  }
  const told = faults.map((fault) => {
    const { code, params, message } = fault;
    return { code, ...(params["file"] !== undefined && { file: String(params["file"]) }), message };
  });
  return { ok: faults.length === 0, directory, ...found, faults: told };
}

function signatureOf(directory: string, by: TrustedKey | BuildError | undefined): Verified["signature"] {
  if (signatureText(directory) === undefined) return "none";
  if (by === undefined) return "unchecked";
  return by instanceof BuildError ? "bad" : "good";
}

function signerOf(directory: string, manifest: Buffer, keys: readonly TrustedKey[]): TrustedKey | BuildError {
  const signature = signatureText(directory);
  if (signature === undefined) return new BuildError("GW6110", { directory });
  const check = checkSignature(signature, MANIFEST_TYPE, manifest, keys);
  return check.ok ? check.by : BuildError.ofSignature(directory, check, keys);
}

/** Files that are missing, changed, or not part of the build; also source maps, which a start does not check. */
function otherFiles(directory: string, { files, maps }: Manifest): BuildError[] {
  const present = new Set(filesBelow(directory));
  for (const file of UNLISTED_FILES) present.delete(file);
  const listed = Object.entries({ ...files, ...maps }).flatMap(([file, hash]) => {
    if (!present.delete(file)) return [new BuildError("GW6106", { directory, file })];
    try {
      const same = sha256(readRegularFile(join(directory, file), MAX_FILE_BYTES)) === hash;
      return same ? [] : [new BuildError("GW6105", { directory, file })];
    } catch (error) {
      return [new BuildError("GW6118", { directory, file, reason: unreadableReason(error) })];
    }
  });
  return [...listed, ...[...present].map((file) => new BuildError("GW6107", { directory, file }))];
}

/** Undefined if there is no provenance, or it is valid and signed. */
function provenanceFault(
  directory: string,
  manifest: string,
  keys: readonly TrustedKey[] | undefined,
): string | undefined {
  const text = signatureText(directory, PROVENANCE_FILE, MAX_FILE_BYTES);
  if (text === undefined) return undefined;
  if (keys) {
    const signature = signatureText(directory, PROVENANCE_SIGNATURE_FILE);
    if (signature === undefined) return "is not signed";
    if (!checkSignature(signature, PROVENANCE_TYPE, Buffer.from(text), keys).ok)
      return "is not signed by a trusted key";
  }
  const { subject } = JSON.parse(text) as { subject?: { digest?: { sha256?: string } }[] };
  return subject?.[0]?.digest?.sha256 === manifest ? undefined : "describes another manifest";
}

const KEY_WANTED = "give the public key that must have signed it, with --key or in GWC_VERIFY_KEY";

function tell({ ok, directory, files, version, signature, signed_by: by, manifest, faults }: Verified): void {
  const signer = by ? `signed by ${by.id} (${by.file})` : "not signed";
  if (!ok) {
    for (const { message } of faults) process.stderr.write(`${visibleLine(message)}\n`);
    const count = pluralize(faults.length, "fault");
    process.stderr.write(
      `${visibleLine(directory)}: invalid, ${count}${by ? `; ${visibleLine(signer)}` : ""}\n`,
    );
    return;
  }
  const unchecked = signature === "unchecked";
  process.stdout.write(
    `${visibleLine(directory)}: ${files} files as built by gwc ${visibleLine(String(version))}, ${unchecked ? "signature not checked" : visibleLine(signer)}\nmanifest sha256:${manifest}\n`,
  );
  if (unchecked) complain(KEY_WANTED);
}
