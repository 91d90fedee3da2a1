import type { Candidate } from "./candidate.js";
import { PathIndex } from "./path-index.js";
import { PrefixLengths } from "./prefix-lengths.js";

/** Host entries: exact names, `*suffix` ones from the longest to the shortest, then routes without a host. */
export class HostIndex<T> {
  readonly #exact = new Map<string, PathIndex<T>>();
  readonly #suffixes = new Map<string, PathIndex<T>>();
  /** One look-up for each length that occurs. */
  readonly #lengths = new PrefixLengths();
  readonly #anyHost = new PathIndex<T>();

  /** The index of a host entry as a row spells it, undefined for routes without hosts; made when there is none. */
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

  /** Forgets a host entry that has no route left. */
  drop(host: string | undefined): void {
    if (host === undefined) return;
    const [map, key] = this.#place(host);
    if (map.delete(key) && map === this.#suffixes) this.#lengths.remove(key.length);
  }

  /** The first candidate that `accepts`; an entry where none does passes the request on to the next. */
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
