import { sha256 } from "../../runtime/abi/hash.js";
import type { FileMark } from "../emit-target.js";

/** A file of a build. Its text is asked for where it is written alone, and may be made only then. */
export interface BuildFile extends FileMark {
  text(): string;
}

export function fileOf(text: string): BuildFile {
  return { ...markOf(text), text: () => text };
}

export function markOf(text: string): FileMark {
  return { hash: sha256(text), size: Buffer.byteLength(text) };
}
