import type { LogEntry, SendError } from "../../abi/delivery.js";
import type { Segment } from "./layout.js";
import type { ReadEntries } from "./segment-reader.js";

/** Entries of a segment in delivery, retried until each is delivered or refused for good. */
export class InFlightBatch {
  readonly segment: Segment;
  entries: readonly LogEntry[];
  #starts: readonly number[];
  readonly #end: number;

  constructor(segment: Segment, from: number, { entries, ends, end }: ReadEntries) {
    this.segment = segment;
    this.entries = entries;
    this.#starts = entries.map((_, i) => ends[i - 1] ?? from);
    this.#end = end;
  }

  /** Offset up to which nothing is left to send. */
  get settledTo(): number {
    return this.#starts[0] ?? this.#end;
  }

  /** Removes entries that a failed attempt delivered or that were refused for good. @returns both */
  settle({ delivered, refused }: Pick<SendError, "delivered" | "refused">): {
    delivered: LogEntry[];
    refused: LogEntry[];
  } {
    const never = new Set(refused);
    const gone = { delivered: [] as LogEntry[], refused: [] as LogEntry[] };
    const left: number[] = [];
    for (const [i, entry] of this.entries.entries()) {
      if (never.has(i)) gone.refused.push(entry);
      else if (i < delivered) gone.delivered.push(entry);
      else left.push(i);
    }
    const { entries } = this;
    const starts = this.#starts;
    this.entries = left.map((i) => entries[i] as LogEntry);
    this.#starts = left.map((i) => starts[i] as number);
    return gone;
  }
}
