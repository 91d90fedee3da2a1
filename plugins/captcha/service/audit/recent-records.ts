import type { DecisionRecord, VerificationRecord } from "../contract.js";

/** Records of one `request_id`: its decisions in order, and the verifications of its token. */
export interface RequestHistory {
  request_id: string;
  decisions: (DecisionRecord & { time: string })[];
  verifications: (VerificationRecord & { time: string })[];
}

/** Maximum number of records of one request, whose tasks are unbounded. The first ones give the reason for a task. */
const MAX_RECORDS = 12;

/**
 * The latest requests, for `GET …/captcha/decisions/<request_id>`. Their records are bounded in number; the
 * oldest request is evicted.
 */
export class RecentRecords {
  readonly #requests = new Map<string, RequestHistory>();
  readonly #most: number;
  #records = 0;

  /** @param most maximum number of records; none is above 3 kB, most are a fifth of that */
  constructor(most: number) {
    this.#most = most;
  }

  decision(record: DecisionRecord, time: string): void {
    const known = this.#requests.get(record.request_id);
    const decisions = known?.decisions ?? [];
    this.#keep(decisions, { time, ...record });
    if (known === undefined)
      this.#requests.set(record.request_id, { request_id: record.request_id, decisions, verifications: [] });
    this.#forget();
  }

  /** Adds to known requests only: the claims of a token create no entry. */
  verification(record: VerificationRecord, time: string): void {
    const known = record.request_id === undefined ? undefined : this.#requests.get(record.request_id);
    if (known === undefined) return;
    this.#keep(known.verifications, { time, ...record });
    this.#forget();
  }

  find(requestId: string): RequestHistory | undefined {
    const known = this.#requests.get(requestId);
    return known === undefined ? undefined : structuredClone(known);
  }

  #keep<T>(records: T[], record: T): void {
    if (records.length >= MAX_RECORDS) records.splice(MAX_RECORDS / 2, 1);
    else this.#records++;
    records.push(record);
  }

  #forget(): void {
    for (const [id, { decisions, verifications }] of this.#requests) {
      if (this.#records <= this.#most) return;
      this.#requests.delete(id);
      this.#records -= decisions.length + verifications.length;
    }
  }
}
