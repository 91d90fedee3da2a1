import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import type { LRUCache } from "lru-cache";

/** An answer as another thread takes it over: plain data. */
export interface CachedAnswer {
  /** Name of what remembers it. */
  of: string;
  key: string;
  answer: unknown;
}

/** Thrown where an answer that nobody knows yet would be worked out and the time for that is over. */
export class OutOfTimeError extends Error {}

let library: typeof import("lru-cache") | undefined;
const all = new Map<string, Pick<AnalysisCache<unknown>, "put">>();
/** Milliseconds that may still go into answers that are not known. */
let left = Number.POSITIVE_INFINITY;
let noted: CachedAnswer[] | undefined;

/**
 * Answers by key, so that what thousands of routes share is worked out once; those unused for longest go first. An answer
 * depends on its key alone, so that it does not matter which thread worked it out, or when.
 */
export class AnalysisCache<T> {
  readonly #name: string;
  readonly #size: number;
  #kept: LRUCache<string, { answer: T }> | undefined;

  /** @param name one of its own, by which other threads know it */
  constructor(name: string, size: number) {
    this.#name = name;
    this.#size = size;
    all.set(name, this);
  }

  get(key: string, make: () => T): T {
    const answer = this.#answers.get(key)?.answer ?? this.#made(key, make);
    noted?.push({ of: this.#name, key, answer });
    return answer;
  }

  put(key: string, answer: T): void {
    this.#answers.set(key, { answer });
  }

  /** Made, and its package loaded, by the first question: most configurations have no regular expression. */
  get #answers(): LRUCache<string, { answer: T }> {
    library ??= createRequire(import.meta.url)("lru-cache") as typeof import("lru-cache");
    return (this.#kept ??= new library.LRUCache({ max: this.#size }));
  }

  #made(key: string, make: () => T): T {
    if (left <= 0) throw new OutOfTimeError();
    const [began, before] = [performance.now(), left];
    const answer = make();
    // Answers inside of this one are paid for once.
    left = before - (performance.now() - began);
    this.put(key, answer);
    return answer;
  }
}

/**
 * Runs `work` with so many milliseconds for answers that are not known.
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

/** Every answer that `work` asked for, each once. */
export function answersOf(work: () => void): CachedAnswer[] {
  noted = [];
  try {
    work();
    return [...new Map(noted.map((note) => [`${note.of} ${note.key}`, note])).values()];
  } finally {
    noted = undefined;
  }
}

/** Takes over what another thread has worked out. */
export function importAnswers(notes: readonly CachedAnswer[]): void {
  for (const { of, key, answer } of notes) all.get(of)?.put(key, answer);
}
