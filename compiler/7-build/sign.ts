import { spawnSync } from "node:child_process";
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../runtime/abi/error-message.js";
import { MAX_KEY_BYTES, readRegularText } from "../../runtime/abi/regular-file.js";
import { keyId, signedBytes, unusableKey } from "../../runtime/abi/signature.js";

/** Signs bytes. @throws SigningError */
export type Signer = (bytes: Buffer) => { keyid?: string; sig: Buffer };

export class SigningError extends Error {}

/**
 * Timeout in ms of a signing command. A key service replies within seconds; a hardware key that waits for a
 * touch may take longer.
 */
const COMMAND_MS = 60_000;
/** Maximum size of a signature in bytes: RSA with 16,384 bits has 2 kB, 2.8 kB in base64. */
const MAX_BYTES = 8_192;
const MAX_SHOWN = 1_000;

/**
 * @param file private key in PEM form: Ed25519, ECDSA P-256 or RSA
 * @param passphrase passphrase of an encrypted key, and its environment variable
 * @throws SigningError
 */
export function keySigner(file: string, passphrase: { variable: string; value: string | undefined }): Signer {
  const key = privateKey(file, passphrase);
  const unusable = unusableKey(key);
  if (unusable !== undefined) throw new SigningError(`the key ${file} cannot be used: ${unusable}`);
  const algorithm = key.asymmetricKeyType === "ed25519" ? null : "sha256";
  return (bytes) => ({ keyid: keyId(key), sig: sign(algorithm, bytes, key) });
}

function privateKey(
  file: string,
  { variable, value }: { variable: string; value: string | undefined },
): KeyObject {
  let text: string;
  try {
    text = readRegularText(file, MAX_KEY_BYTES);
  } catch (error) {
    throw new SigningError(`the key cannot be read: ${messageOf(error)}`);
  }
  // "BEGIN ENCRYPTED PRIVATE KEY", or "Proc-Type: 4,ENCRYPTED" of older OpenSSL.
  const encrypted = text.includes("ENCRYPTED");
  if (encrypted && (value ?? "") === "")
    throw new SigningError(`the key ${file} is encrypted, and ${variable} with its passphrase is not set`);
  try {
    return createPrivateKey({ key: text, ...(encrypted && { passphrase: value }) });
  } catch {
    // Replaces OpenSSL's own messages, such as "bad decrypt" and "unsupported".
    throw new SigningError(
      encrypted
        ? `the key ${file} cannot be decrypted with the passphrase in ${variable}`
        : `${file} holds no private key in PEM form`,
    );
  }
}

/**
 * Signs by a program that reads the bytes on standard input and prints the signature, raw or in base64.
 * @param command words, in quotes if they contain blanks; no shell interprets it
 * @throws SigningError if the command has no words
 */
export function commandSigner(command: string, environment: NodeJS.ProcessEnv): Signer {
  const [program, ...args] = commandWords(command) ?? [];
  if (program === undefined) throw new SigningError(`--sign-with takes a command, not "${command}"`);
  return (bytes) => {
    const ended = withFile(bytes, (input) =>
      spawnSync(program, args, {
        stdio: [input, "pipe", "pipe"],
        timeout: COMMAND_MS,
        killSignal: "SIGKILL",
        maxBuffer: 1_048_576,
        env: environment,
      }),
    );
    const failure = failureOf(ended);
    if (failure !== undefined) throw new SigningError(`${program} ${failure}${shown(ended.stderr)}`);
    const sig = decoded(ended.stdout);
    if (sig.length === 0 || sig.length > MAX_BYTES)
      throw new SigningError(`${program} printed ${ended.stdout.length} bytes, which is no signature`);
    return { sig };
  };
}

/**
 * Uses a file as standard input: Node's pipes are sockets, which cannot be opened as /dev/stdin, and `openssl
 * pkeyutl` asks for the size of its input for Ed25519.
 */
function withFile<T>(bytes: Buffer, use: (descriptor: number) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "gwc-sign-"));
  try {
    const file = join(directory, "bytes");
    writeFileSync(file, bytes);
    const descriptor = openSync(file, "r");
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function failureOf({ error, status, signal }: ReturnType<typeof spawnSync>): string | undefined {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOENT") return "is not installed";
  if (code === "ETIMEDOUT") return `gave no signature within ${COMMAND_MS / 1_000} s`;
  if (error !== undefined) return `could not be run: ${error.message}`;
  if (status === 0) return undefined;
  return signal === null ? `ended with exit code ${status}` : `was ended by ${signal}`;
}

function shown(stderr: Buffer | null): string {
  const text = (stderr ?? Buffer.alloc(0)).toString("utf8").trim().slice(0, MAX_SHOWN);
  return text === "" ? "" : `: ${text}`;
}

/** Decodes base64. A raw signature of 32 bytes or more is never base64 by chance. */
function decoded(output: Buffer): Buffer {
  const text = output.toString("latin1").replace(/\s/g, "");
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : output;
}

/** Content of a signature file. @throws SigningError */
export function signatureFile(signer: Signer, type: string, body: string): string {
  const { keyid, sig } = signer(signedBytes(type, Buffer.from(body)));
  const signature = { ...(keyid !== undefined && { keyid }), sig: sig.toString("base64") };
  return `${JSON.stringify({ signatures: [signature] }, null, 2)}\n`;
}

/**
 * Splits a command into words as a shell does: at blanks outside of quotes. Nothing is expanded.
 * @returns undefined if a quote is not closed
 */
function commandWords(command: string): string[] | undefined {
  const words: string[] = [];
  const word = /\s*((?:[^\s"']|"[^"]*"|'[^']*')+)/y;
  const text = command.trimEnd();
  while (word.lastIndex < text.length) {
    const [, found] = word.exec(text) ?? [];
    if (found === undefined) return undefined;
    words.push(found.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single = "") => double ?? single));
  }
  return words;
}
