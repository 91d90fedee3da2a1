import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const PEM = {
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
} as const;

/**
 * Writes a pair of keys for signing builds: `<name>.key` and `<name>.pub` in a directory.
 * @returns the file of the public key
 */
export function writeSigningKeys(
  directory: string,
  name: string,
  type: "ed25519" | "ec" | "rsa" | "p384" = "ed25519",
  passphrase?: string,
): string {
  const privateKeyEncoding = {
    ...PEM.privateKeyEncoding,
    ...(passphrase !== undefined && { cipher: "aes-256-cbc", passphrase }),
  };
  const encoding = { ...PEM, privateKeyEncoding };
  const { privateKey, publicKey } =
    type === "ed25519"
      ? generateKeyPairSync(type, encoding)
      : type === "rsa"
        ? generateKeyPairSync(type, { ...encoding, modulusLength: 2048 })
        : generateKeyPairSync("ec", { ...encoding, namedCurve: type === "ec" ? "P-256" : "P-384" });
  writeFileSync(join(directory, `${name}.key`), privateKey);
  writeFileSync(join(directory, `${name}.pub`), publicKey);
  return join(directory, `${name}.pub`);
}
