import { randomBytes, timingSafeEqual } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularText } from "../../runtime/abi/regular-file.js";

/** Hash of the content, in the first line of the file. */
type Seal = (content: string) => string;

/** @returns undefined if the file is missing or damaged, or has the seal of another content or key */
export function readSealedFile(path: string, seal: Seal): string | undefined {
  try {
    const text = readRegularText(path);
    const end = text.indexOf("\n");
    const content = text.slice(end + 1);
    const [given, own] = [Buffer.from(text.slice(0, end)), Buffer.from(seal(content))];
    return given.length === own.length && timingSafeEqual(given, own) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a whole file or none: concurrent builds may write the same one. @throws Error of the file system */
export function writeSealedFile(path: string, content: string, seal: Seal, mode?: { mode: number }): void {
  const text = `${seal(content)}\n${content}`;
  const next = join(dirname(path), `next-${randomBytes(8).toString("hex")}`);
  writeFileSync(next, text, mode);
  renameSync(next, path);
}
