import { sha256 } from "../../runtime/abi/hash.js";
import type { FileHash } from "../model/emit-target.js";

/** File of a build. Its text is requested only if it must be written, and may be generated only then. */
export interface BuildFile extends FileHash {
  text(): string;
}

export function fileOf(text: string): BuildFile {
  return { ...markOf(text), text: () => text };
}

function markOf(text: string): FileHash {
  return { hash: sha256(text), size: Buffer.byteLength(text) };
}
