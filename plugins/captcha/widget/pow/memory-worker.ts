/**
 * This worker's own response allows WebAssembly, which the frame's policy does not
 * (service/assets/headers.ts). Sends all hashes, or null if the browser lacks or forbids WebAssembly. It has
 * the DOM's types only, hence the narrow view of its scope.
 */
import { memoryHash } from "../../service/pow/argon2.js";
import type { PowChallenge } from "../../service/protocol.js";

interface Scope {
  onmessage: ((event: { data: Pick<PowChallenge, "salt" | "memory"> }) => void) | null;
  postMessage(hashes: string[] | null): void;
}
const scope = globalThis as unknown as Scope;

async function hashesOf({ salt, memory }: Pick<PowChallenge, "salt" | "memory">): Promise<string[] | null> {
  const hashes: string[] = [];
  try {
    for (let index = 0; memory !== undefined && index < memory.n; index++)
      hashes.push(await memoryHash(salt, index, memory));
    return hashes;
  } catch {
    return null;
  }
}

scope.onmessage = ({ data }) => void hashesOf(data).then((hashes) => scope.postMessage(hashes));
