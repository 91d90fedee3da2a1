import type { DecisionRecord, VerificationRecord } from "../contract.js";

export interface RequestHistory {
  request_id: string;
  decisions: (DecisionRecord & { time: string })[];
  verifications: (VerificationRecord & { time: string })[];
}

/** A request has any number of tasks; the first records give the reason for them. */
const MAX_RECORDS = 12;

/** Source of `GET …/captcha/decisions/<request_id>`; evicts the oldest request beyond the bound. */
export class RecentRecords {
  readonly #requests = new Map<string, RequestHistory>();
  readonly #most: number;
  #records = 0;

  /** @param most records; none is above 3 kB, most are a fifth of that */
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

  /** The claims of a token create no entry. */
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
