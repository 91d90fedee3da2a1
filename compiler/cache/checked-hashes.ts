import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../runtime/abi/hash.js";
import { readSealedFile, writeSealedFile } from "./sealed-file.js";

/** Maximum entries, 65 bytes each; the oldest are dropped. */
const MOST = 200_000;

/**
 * SHA-256 of the TypeScript of modules that passed the check of earlier builds, newest first; empty if the
 * file is damaged or missing. Jobs share the directory, so it holds no result that could enter a build.
 */
export function readCheckedHashes(directory: string, checker: string): string[] {
  return readSealedFile(fileIn(directory, checker), sha256)?.split("\n") ?? [];
}

/**
 * Adds modules that passed. Concurrent jobs may share a directory: each writes a whole file, and an entry
 * lost that way is checked again.
 * @throws Error of the file system
 */
export function writeCheckedHashes(directory: string, checker: string, hashes: Iterable<string>): void {
  const all = [...new Set([...hashes, ...readCheckedHashes(directory, checker)])].slice(0, MOST);
  mkdirSync(directory, { recursive: true });
  writeSealedFile(fileIn(directory, checker), all.join("\n"), sha256);
}

const fileIn = (directory: string, checker: string) => join(directory, `passed-${checker}`);
