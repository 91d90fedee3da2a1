import { createHash } from "node:crypto";

/** Of bytes, or of a text as UTF-8, in hexadecimal digits: what plans, modules, files and settings are named and compared by. */
export function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
