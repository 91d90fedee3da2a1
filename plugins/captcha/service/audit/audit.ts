import type { Metrics, ResourceContext } from "../../../../runtime/abi/plugin-api.js";
import type { Audit, CaptchaClock, DecisionRecord, VerificationRecord } from "../contract.js";
import { type Counted, Statistics } from "../statistics.js";
import { AuditDestination, type AuditTarget, type RecordKind } from "./destination.js";
import { AuditMetrics } from "./metrics.js";
import { RecentRecords, type RequestHistory } from "./recent-records.js";

const MAX_REASONS = 8;
const MAX_TASKS = 20;
/** `site_key` and `request_id` of a verification come from outside. */
const MAX_TEXT = 128;

/** Copies known fields: no trail, full UA, address, token or answer gets into a log (reference 3.5, A28). */
function decisionFields(record: DecisionRecord): DecisionRecord {
  const { request_id, site_key, hostname, decision, score, threshold, model, activation } = record;
  return {
    request_id,
    site_key,
    hostname,
    decision,
    score,
    threshold,
    reasons: record.reasons.slice(0, MAX_REASONS).map(({ code, weight }) => ({ code, weight })),
    model,
    activation,
    pow: { bits: record.pow.bits, ms: record.pow.ms },
    ...(record.price === undefined
      ? {}
      : { price: { stage: record.price.stage, attack: record.price.attack } }),
    tasks: record.tasks.slice(-MAX_TASKS).map(({ type, ok, ms }) => ({ type, ok, ms })),
    ...(record.solved_ms === undefined ? {} : { solved_ms: record.solved_ms }),
    address_hash: record.address_hash,
    browser: record.browser,
  };
}

function verificationFields(record: VerificationRecord): VerificationRecord {
  const { success, error, reason, ip } = record;
  return {
    request_id: record.request_id?.slice(0, MAX_TEXT),
    site_key: record.site_key.slice(0, MAX_TEXT),
    customer: record.customer,
    success,
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { reason }),
    ip,
  };
}

/** About the latest 10,000 visitors in 10 MB; 60 MB while somebody fails without end. */
const MAX_RECORDS = 20_000;

export interface AuditOptions {
  clock: CaptchaClock;
  metrics: Metrics;
  report: ResourceContext["report"];
  /** Unknown ones are counted together. */
  isKnown: (siteKey: string) => boolean;
  mostRecords?: number;
}

/** Loggers, counters and the latest records in memory (captcha reference section 3.5). */
export class CaptchaAudit implements Audit {
  readonly #options: AuditOptions;
  readonly #statistics: Statistics;
  readonly #metrics: AuditMetrics;
  readonly #recent: RecentRecords;
  #targets = "";
  #destinations: AuditDestination[] = [];

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#statistics = new Statistics(options.clock.now(), options.isKnown);
    this.#metrics = new AuditMetrics(options.metrics, options.isKnown);
    this.#recent = new RecentRecords(options.mostRecords ?? MAX_RECORDS);
  }

  /** Pending records of the former destinations are still delivered, or dropped after 5 s. */
  send(targets: readonly AuditTarget[]): void {
    const text = JSON.stringify(targets);
    if (text === this.#targets) return;
    this.#targets = text;
    const former = this.#destinations;
    this.#destinations = targets.map((target) => new AuditDestination(target, this.#options));
    for (const destination of former) void destination.drain(5_000);
  }

  decision(record: DecisionRecord): void {
    const safe = decisionFields(record);
    const time = this.#now();
    this.#statistics.decision(safe);
    this.#metrics.decision(safe);
    this.#recent.decision(safe, time);
    this.#ship("decision", safe, time);
  }

  verification(record: VerificationRecord): void {
    const safe = verificationFields(record);
    const time = this.#now();
    this.#statistics.verification(safe);
    this.#metrics.verification(safe);
    this.#recent.verification(safe, time);
    this.#ship("verification", safe, time);
  }

  find(requestId: string): RequestHistory | undefined {
    return this.#recent.find(requestId);
  }

  statistics(): Counted {
    return this.#statistics.snapshot();
  }

  async close(deadlineMs: number): Promise<void> {
    await Promise.all(this.#destinations.map((destination) => destination.drain(deadlineMs)));
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #ship(what: RecordKind, record: object, time: string): void {
    if (this.#destinations.length === 0) return;
    const text = JSON.stringify({ time, event: `captcha_${what}`, ...record });
    for (const destination of this.#destinations) destination.take(what, text, time);
  }
}
