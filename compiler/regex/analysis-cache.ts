import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import type { LRUCache } from "lru-cache";

/** Plain data, which another thread imports. */
export interface CachedAnswer {
  of: string;
  key: string;
  answer: unknown;
}

/** Thrown if a result is not cached and the time to compute results is used up. */
export class OutOfTimeError extends Error {}

let library: typeof import("lru-cache") | undefined;
const all = new Map<string, Pick<AnalysisCache<unknown>, "put">>();
/** Milliseconds left for results that are not cached. */
let left = Number.POSITIVE_INFINITY;
let noted: CachedAnswer[] | undefined;

/**
 * Cache by key, so that what thousands of routes share is computed once; the least recently used go first. A
 * result depends only on its key: it does not matter which thread computed it, or when.
 */
export class AnalysisCache<T> {
  readonly #name: string;
  readonly #size: number;
  #lru: LRUCache<string, { answer: T }> | undefined;

  /** @param name unique; other threads know the cache by it */
  constructor(name: string, size: number) {
    this.#name = name;
    this.#size = size;
    all.set(name, this);
  }

  get(key: string, make: () => T): T {
    const answer = this.#answers.get(key)?.answer ?? this.#computed(key, make);
    noted?.push({ of: this.#name, key, answer });
    return answer;
  }

  put(key: string, answer: T): void {
    this.#answers.set(key, { answer });
  }

  /** Created at the first use, which loads the package: most configurations have no regular expression. */
  get #answers(): LRUCache<string, { answer: T }> {
    library ??= createRequire(import.meta.url)("lru-cache") as typeof import("lru-cache");
    return (this.#lru ??= new library.LRUCache({ max: this.#size }));
  }

  #computed(key: string, make: () => T): T {
    if (left <= 0) throw new OutOfTimeError();
    const [began, before] = [performance.now(), left];
    const answer = make();
    // The time of nested results counts once.
    left = before - (performance.now() - began);
    this.put(key, answer);
    return answer;
  }
}

/**
 * Limits the time in ms for results that are not cached.
 * @throws OutOfTimeError
 */
export function within<T>(milliseconds: number, work: () => T): T {
  left = milliseconds;
  try {
    return work();
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}

/** Returns all distinct results that `work` requested. */
export function answersOf(work: () => void): CachedAnswer[] {
  noted = [];
  try {
    work();
    return [...new Map(noted.map((note) => [`${note.of} ${note.key}`, note])).values()];
  } finally {
    noted = undefined;
  }
}

export function importAnswers(notes: readonly CachedAnswer[]): void {
  for (const { of, key, answer } of notes) all.get(of)?.put(key, answer);
}
