import { type LogEntry, SendError } from "../../../runtime/logging/index.js";

/** Maximum of one batch: if all records are wrong, every request would be split. */
const MAX_SPLITS = 64;

/** Entries that the server has stored, and entries that it will never store. */
export class BatchProgress {
  readonly entries: readonly LogEntry[];
  readonly #delivered = new Set<number>();
  readonly #refused = new Set<number>();
  readonly #reasons: string[] = [];
  #splits = 0;

  /** @param taken entries that the server stored in an earlier attempt */
  constructor(entries: readonly LogEntry[], taken: WeakSet<LogEntry>) {
    this.entries = entries;
    for (const [index, entry] of entries.entries()) if (taken.has(entry)) this.#delivered.add(index);
  }

  /** Entries that are neither stored nor dropped. */
  open(): number[] {
    return [...this.entries.keys()].filter(
      (index) => !this.#delivered.has(index) && !this.#refused.has(index),
    );
  }

  delivered(index: number): void {
    this.#delivered.add(index);
  }

  /** @param because the server's message; the first reasons are kept */
  refuse(indexes: readonly number[], because: string): void {
    for (const index of indexes) this.#refused.add(index);
    if (!this.#reasons.includes(because) && this.#reasons.length < 3) this.#reasons.push(because);
  }

  maySplit(): boolean {
    return ++this.#splits <= MAX_SPLITS;
  }

  get isComplete(): boolean {
    return this.#delivered.size === this.entries.length;
  }

  /** @param taken receives entries that were stored although an earlier one is open; the next attempt skips them */
  error(address: string, failure: string | undefined, taken: WeakSet<LogEntry>): SendError {
    let start = 0;
    while (this.#delivered.has(start) || this.#refused.has(start)) start++;
    for (const index of this.#delivered) {
      const entry = this.entries[index];
      if (index >= start && entry !== undefined) taken.add(entry);
    }
    const parts = [
      ...(this.#refused.size > 0
        ? [
            `${this.#refused.size} record${this.#refused.size === 1 ? "" : "s"} rejected: ${this.#reasons.join("; ")}`,
          ]
        : []),
      ...(failure === undefined ? [] : [failure]),
    ];
    const refused = [...this.#refused].sort((a, b) => a - b);
    return new SendError(`${address}: ${parts.join("; ")}`, start, refused);
  }
}
