import type { LogEntry, SendError } from "../log/contract.js";
import type { Segment } from "./layout.js";
import type { ReadEntries } from "./segment-reader.js";

/** Entries of a segment on their way, tried until each is delivered or refused for good. */
export class Outgoing {
  readonly segment: Segment;
  /** What is left to send. */
  entries: readonly LogEntry[];
  /** Offset before each entry that is left. */
  #starts: readonly number[];
  readonly #end: number;

  constructor(segment: Segment, from: number, { entries, ends, end }: ReadEntries) {
    this.segment = segment;
    this.entries = entries;
    this.#starts = entries.map((_, i) => ends[i - 1] ?? from);
    this.#end = end;
  }

  /** Offset before which nothing is left to send. */
  get settledTo(): number {
    return this.#starts[0] ?? this.#end;
  }

  /** Takes out what a failed try has delivered, and what the destination will never take. @returns their numbers */
  settle({ delivered, refused }: Pick<SendError, "delivered" | "refused">): {
    delivered: number;
    refused: number;
  } {
    const never = new Set(refused);
    const before = this.entries.length;
    const left = this.entries.flatMap((_, i) => (never.has(i) || i < delivered ? [] : [i]));
    const starts = this.#starts;
    const refusals = this.entries.filter((_, i) => never.has(i)).length;
    this.entries = left.map((i) => this.entries[i] as LogEntry);
    this.#starts = left.map((i) => starts[i] as number);
    return { delivered: before - left.length - refusals, refused: refusals };
  }
}
