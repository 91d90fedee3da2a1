import { Candidate, type Entry, insert, withdraw } from "./candidate.js";
import type { PathPattern } from "./pattern.js";
import { PrefixIndex } from "./prefix-index.js";

/** Routes of one host entry: exact paths by hash, patterns by literal prefix. */
export class PathIndex<T> {
  readonly #exact = new Map<string, Candidate<T>>();
  readonly #prefixes = new PrefixIndex<T>();

  get empty(): boolean {
    return this.#exact.size === 0 && this.#prefixes.empty;
  }

  add(entry: Entry<T>, pattern: PathPattern): void {
    const candidate = new Candidate(entry, pattern);
    if (!pattern.exact) this.#prefixes.add(candidate);
    else this.#exact.set(pattern.prefix, insert(this.#exact.get(pattern.prefix) ?? null, candidate));
  }

  remove(entry: Entry<T>, { exact, prefix }: PathPattern): void {
    if (!exact) {
      this.#prefixes.remove(prefix, entry);
      return;
    }
    const head = withdraw(this.#exact.get(prefix) ?? null, entry);
    if (head === null) this.#exact.delete(prefix);
    else this.#exact.set(prefix, head);
  }

  /** Finds the first candidate that `accepts`, in matching order. */
  search<S>(
    path: string,
    subject: S,
    accepts: (candidate: Candidate<T>, subject: S) => boolean,
  ): Candidate<T> | null {
    let candidate = this.#exact.get(path) ?? null;
    for (; candidate !== null; candidate = candidate.next) if (accepts(candidate, subject)) return candidate;
    return this.#prefixes.search(path, subject, accepts);
  }
}
