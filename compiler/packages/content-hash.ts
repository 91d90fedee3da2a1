import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import { readRegularFile } from "../../runtime/abi/regular-file.js";
import { broken } from "./locate.js";

/** Limits of a package: no plugin has more, so a larger folder was named by mistake. */
const MAX_FILES = 2_000;
const MAX_BYTES = 64_000_000;

/**
 * SHA-256, hex, of names and contents of files, without `node_modules` and hidden ones.
 * @throws PackageError if the folder is too large for a plugin
 */
export function contentHash(root: string, name: string): string {
  const files = filesBelow(root).sort();
  if (files.length > MAX_FILES) throw broken(name, `it has more than ${MAX_FILES} files`);
  const hash = createHash("sha256");
  let bytes = 0;
  for (const file of files) {
    const path = join(root, file);
    bytes += statSync(path).size;
    if (bytes > MAX_BYTES) throw broken(name, `it has more than ${MAX_BYTES} bytes`);
    const content = sha256(readRegularFile(path, MAX_BYTES));
    hash.update(`${relative(root, path).split(sep).join("/")}\0${content}\n`);
  }
  return hash.digest("hex");
}

function filesBelow(root: string, inside = ""): string[] {
  return readdirSync(join(root, inside), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name.startsWith(".")) return [];
    const path = join(inside, entry.name);
    if (entry.isDirectory()) return filesBelow(root, path);
    return entry.isFile() ? [path] : [];
  });
}
