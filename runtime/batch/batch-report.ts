import type { ResourceContext } from "../abi/resource.js";
import type { Clock } from "./clock.js";

export interface Totals {
  readonly pushed: number;
  readonly processed: number;
  readonly discarded: number;
  readonly maxPendingEntries: number;
}

const EVERY_MS = 1_000;

/** What a batch processor tells operators (reference section 7), each kind of line at most once a second. */
export class BatchReport {
  readonly #name: string;
  readonly #report: ResourceContext["report"];
  readonly #clock: Clock;
  /** By event: when its last line was written, and how many were left out since. */
  readonly #written = new Map<string, { at: number; leftOut: number }>();

  constructor(name: string, report: ResourceContext["report"], clock: Clock) {
    this.#name = name;
    this.#report = report;
    this.#clock = clock;
  }

  overflow({ pushed, processed, discarded, maxPendingEntries }: Totals): void {
    if (!this.#isTime("log_entries_discarded")) return;
    this.#write("log_entries_discarded", () =>
      [
        "max pending entries limit exceeded. discarding entry.",
        `total_pushed_entries: ${pushed}`,
        `total_processed_entries: ${processed}`,
        `max_pending_entries: ${maxPendingEntries}`,
        `discarded_entries: ${discarded}`,
      ].join(" "),
    );
  }

  /** `left` of `total` entries were not delivered. */
  failed(left: number, total: number, reason: string): void {
    const part = left === total ? "" : ` [${left}/${total}]`;
    this.#write("log_batch_failed", () => `failed to process entries${part}: ${reason}`);
  }

  dropped(entries: number, maxRetryCount: number): void {
    this.#write(
      "log_batch_dropped",
      () => `exceeded the max_retry_count[${maxRetryCount}] dropping the entries`,
      entries,
    );
  }

  refused(entries: number, reason: string): void {
    this.#write("log_entries_refused", () => `the destination refuses entries for good: ${reason}`, entries);
  }

  abandoned(entries: number): void {
    this.#write("log_entries_abandoned", () => "the time for delivering what is left is over", entries);
  }

  #isTime(event: string): boolean {
    const before = this.#written.get(event);
    return before === undefined || this.#clock.now() - before.at >= EVERY_MS;
  }

  #write(event: string, text: () => string, entries?: number): void {
    const before = this.#written.get(event);
    if (before !== undefined && !this.#isTime(event)) {
      before.leftOut++;
      return;
    }
    const leftOut = before?.leftOut ?? 0;
    this.#written.set(event, { at: this.#clock.now(), leftOut: 0 });
    this.#report(event, {
      message: `Batch Processor[${this.#name}] ${text()}`,
      ...(entries === undefined ? {} : { entries }),
      ...(leftOut === 0 ? {} : { repeated: leftOut }),
    });
  }
}
