import type { Candidate } from "./candidate.js";
import { PathIndex } from "./path-index.js";
import { PrefixLengths } from "./prefix-lengths.js";

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
