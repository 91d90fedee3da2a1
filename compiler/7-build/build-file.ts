import { sha256 } from "../../runtime/abi/hash.js";
import type { FileHash } from "../model/emit-target.js";

/** File of a build. */
export interface BuildFile extends FileHash {
  /** Absent for a file of the replaced build that is used again. */
  text?: string;
  /** Configuration files that a source map names. */
  sources?: readonly string[];
}

export const fileOf = (text: string): BuildFile & { text: string } => ({
  hash: sha256(text),
  size: Buffer.byteLength(text),
  text,
});
