import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../runtime/abi/hash.js";
import type { CompileInput, StoredResource } from "../model/input.js";
import type { SourceText } from "../model/source.js";
import type { FileCache } from "./file-cache.js";

/**
 * The previous read: unchanged texts give the same objects, so that unchanged resources are found by
 * identity. Parsing and checking is most of the cost of a reload.
 */
export class MemoryFileCache<Part> implements FileCache<Part> {
  #environment: CompileInput["environment"] | undefined;
  #before = new Map<string, { hash: string; part: Part }>();
  #now = new Map<string, { hash: string; part: Part }>();
  #stored = new WeakMap<object, { name: string; part: Part }>();

  /** Another environment may change the meaning of every file. */
  begin(environment: CompileInput["environment"]): void {
    const same = isDeepStrictEqual(environment, this.#environment);
    this.#environment = environment;
    this.#before = same ? this.#now : new Map();
    this.#now = new Map();
  }

  file(source: SourceText, read: () => Part): Part {
    const { name, folder = "", format, text } = source;
    const key = `${folder}\0${name}\0${format}`;
    const hash = sha256(text);
    const before = this.#before.get(key);
    const known = before?.hash === hash ? before : { hash, part: read() };
    this.#now.set(key, known);
    return known.part;
  }

  /** Values of the store are replaced and never changed. */
  stored({ kind, id, value }: StoredResource, read: () => Part): Part {
    if (typeof value !== "object" || value === null) return read();
    const name = `${kind}/${id}`;
    const before = this.#stored.get(value);
    if (before?.name === name) return before.part;
    const part = read();
    this.#stored.set(value, { name, part });
    return part;
  }
}
