import type { DecisionRecord, VerificationRecord } from "../contract.js";

/** What is known of one `request_id`: its decisions in order, and what verifications said of its token. */
export interface RequestHistory {
  request_id: string;
  decisions: (DecisionRecord & { time: string })[];
  verifications: (VerificationRecord & { time: string })[];
}

/** Records of one request that are kept: tasks are unbounded in number. The first ones say why there was a task. */
const MOST_RECORDS = 12;

/** The latest requests, for `GET …/captcha/decisions/<request_id>`; bounded, the oldest leaves. */
export class RecentRecords {
  readonly #requests = new Map<string, RequestHistory>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  decision(record: DecisionRecord, time: string): void {
    const known = this.#requests.get(record.request_id);
    if (known !== undefined) {
      keep(known.decisions, { time, ...record });
      return;
    }
    const history = { request_id: record.request_id, decisions: [{ time, ...record }], verifications: [] };
    this.#requests.set(record.request_id, history);
    const [oldest] = this.#requests.keys();
    if (this.#requests.size > this.#most && oldest !== undefined) this.#requests.delete(oldest);
  }

  /** Only of requests that are known here: what a token claims makes no entry. */
  verification(record: VerificationRecord, time: string): void {
    const known = record.request_id === undefined ? undefined : this.#requests.get(record.request_id);
    if (known !== undefined) keep(known.verifications, { time, ...record });
  }

  find(requestId: string): RequestHistory | undefined {
    const known = this.#requests.get(requestId);
    return known === undefined ? undefined : structuredClone(known);
  }
}

function keep<T>(records: T[], record: T): void {
  if (records.length >= MOST_RECORDS) records.splice(MOST_RECORDS / 2, 1);
  records.push(record);
}
