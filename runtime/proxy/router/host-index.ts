import { Candidate, type Entry, insert, withdraw } from "./candidate.js";
import type { PathPattern } from "./pattern.js";
import { PrefixIndex, PrefixLengths } from "./prefix-index.js";

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

/** Host entries: exact names, then `*suffix` entries from the longest to the shortest, then routes without a host. */
export class HostIndex<T> {
  readonly #exact = new Map<string, PathIndex<T>>();
  readonly #suffixes = new Map<string, PathIndex<T>>();
  /** Lengths of suffixes; each costs one lookup. */
  readonly #lengths = new PrefixLengths();
  readonly #anyHost = new PathIndex<T>();

  /** @param host as in a row; undefined for routes without hosts */
  entry(host: string | undefined): PathIndex<T> {
    if (host === undefined) return this.#anyHost;
    const [map, key] = this.#place(host);
    let index = map.get(key);
    if (index === undefined) {
      index = new PathIndex<T>();
      map.set(key, index);
      if (map === this.#suffixes) this.#lengths.add(key.length);
    }
    return index;
  }

  /** Removes a host entry without routes. */
  drop(host: string | undefined): void {
    if (host === undefined) return;
    const [map, key] = this.#place(host);
    if (map.delete(key) && map === this.#suffixes) this.#lengths.remove(key.length);
  }

  /** Finds the first candidate that `accepts`; an entry without one passes the request on to the next. */
  search<S>(
    host: string,
    path: string,
    subject: S,
    accepts: (candidate: Candidate<T>, subject: S) => boolean,
  ): Candidate<T> | null {
    if (this.#exact.size !== 0) {
      const found = this.#exact.get(host)?.search(path, subject, accepts);
      if (found) return found;
    }
    for (const length of this.#lengths.descending) {
      if (length > host.length) continue;
      const found = this.#suffixes.get(host.slice(host.length - length))?.search(path, subject, accepts);
      if (found) return found;
    }
    return this.#anyHost.search(path, subject, accepts);
  }

  #place(host: string): [Map<string, PathIndex<T>>, string] {
    return host.startsWith("*") ? [this.#suffixes, host.slice(1)] : [this.#exact, host];
  }
}
