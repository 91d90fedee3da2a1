import type { ResourceContext } from "../../abi/resource.js";
import type { Clock } from "./clock.js";

export interface Totals {
  readonly pushed: number;
  readonly processed: number;
  readonly discarded: number;
  /** The limit that was reached; for bytes also the pending bytes and those of the entry. */
  readonly limit: { readonly name: "max_pending_entries" | "max_pending_bytes"; readonly value: number } & (
    | object
    | { readonly held: number; readonly bytes: number }
  );
}

type Fields = Readonly<Record<string, string | number>>;

const EVERY_MS = 1_000;

/** Log lines of a batch processor (reference section 7), each kind of line at most once a second. */
export class BatchReport {
  readonly #name: string;
  readonly #report: ResourceContext["report"];
  readonly #clock: Clock;
  /** Time of the last line and lines suppressed since, by event. */
  readonly #written = new Map<string, { at: number; leftOut: number }>();

  constructor(name: string, report: ResourceContext["report"], clock: Clock) {
    this.#name = name;
    this.#report = report;
    this.#clock = clock;
  }

  overflow({ pushed, processed, discarded, limit }: Totals): void {
    // The reference has no "Batch Processor[…]" in front of this line.
    this.#write("log_entries_discarded", () => ({
      name: this.#name,
      message: [
        `max pending ${limit.name === "max_pending_bytes" ? "bytes" : "entries"} limit exceeded. discarding entry.`,
        `total_pushed_entries: ${pushed}`,
        `total_processed_entries: ${processed}`,
        `${limit.name}: ${limit.value}`,
        ...("held" in limit ? [`pending_bytes: ${limit.held}`, `entry_bytes: ${limit.bytes}`] : []),
        `discarded_entries: ${discarded}`,
      ].join(" "),
    }));
  }

  failed(left: number, total: number, reason: string): void {
    const part = left === total ? "" : ` [${left}/${total}]`;
    this.#write("log_batch_failed", () => this.#line(`failed to process entries${part}: ${reason}`));
  }

  dropped(entries: number, maxRetryCount: number): void {
    const text = `exceeded the max_retry_count[${maxRetryCount}] dropping the entries`;
    this.#write("log_batch_dropped", () => ({ ...this.#line(text), entries }));
  }

  refused(entries: number, reason: string): void {
    const text = `the destination rejects entries permanently: ${reason}`;
    this.#write("log_entries_refused", () => ({ ...this.#line(text), entries }));
  }

  abandoned(entries: number): void {
    const text = "the time limit for delivering the remaining entries expired";
    this.#write("log_entries_abandoned", () => ({ ...this.#line(text), entries }));
  }

  #line(text: string): Fields {
    return { message: `Batch Processor[${this.#name}] ${text}` };
  }

  #write(event: string, fields: () => Fields): void {
    const before = this.#written.get(event);
    if (before !== undefined && this.#clock.now() - before.at < EVERY_MS) {
      before.leftOut++;
      return;
    }
    const leftOut = before?.leftOut ?? 0;
    this.#written.set(event, { at: this.#clock.now(), leftOut: 0 });
    this.#report(event, { ...fields(), ...(leftOut === 0 ? {} : { repeated: leftOut }) });
  }
}
