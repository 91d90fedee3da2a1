import { type LogEntry, SendError } from "../../../runtime/abi/delivery.js";

/** Requests of one batch that are sent in halves for the sake of one record: where every record is wrong, it would be all of them. */
const MAX_SPLITS = 64;

/** How far one batch is: which of its entries the server has, and which it will never take. */
export class BatchProgress {
  readonly entries: readonly LogEntry[];
  readonly #delivered = new Set<number>();
  readonly #refused = new Set<number>();
  readonly #reasons: string[] = [];
  #splits = 0;

  /** @param taken entries that the server has had in a try before */
  constructor(entries: readonly LogEntry[], taken: WeakSet<LogEntry>) {
    this.entries = entries;
    for (const [index, entry] of entries.entries()) if (taken.has(entry)) this.#delivered.add(index);
  }

  /** Indexes of the entries that are neither. */
  open(): number[] {
    return [...this.entries.keys()].filter(
      (index) => !this.#delivered.has(index) && !this.#refused.has(index),
    );
  }

  delivered(index: number): void {
    this.#delivered.add(index);
  }

  /** @param because what the server said; the first reasons are kept */
  refuse(indexes: readonly number[], because: string): void {
    for (const index of indexes) this.#refused.add(index);
    if (!this.#reasons.includes(because) && this.#reasons.length < 3) this.#reasons.push(because);
  }

  /** Whether another request may be sent in halves. */
  maySplit(): boolean {
    return ++this.#splits <= MAX_SPLITS;
  }

  get isComplete(): boolean {
    return this.#delivered.size === this.entries.length;
  }

  /**
   * What the sink throws.
   * @param taken is told of entries that the server has although one before them is open: the next try leaves them out
   */
  error(address: string, failure: string | undefined, taken: WeakSet<LogEntry>): SendError {
    let start = 0;
    while (this.#delivered.has(start) || this.#refused.has(start)) start++;
    for (const index of this.#delivered) {
      const entry = this.entries[index];
      if (index >= start && entry !== undefined) taken.add(entry);
    }
    const parts = [
      ...(this.#refused.size > 0
        ? [`${this.#refused.size} records refused: ${this.#reasons.join("; ")}`]
        : []),
      ...(failure === undefined ? [] : [failure]),
    ];
    const refused = [...this.#refused].sort((a, b) => a - b);
    return new SendError(`${address}: ${parts.join("; ")}`, start, refused);
  }
}
