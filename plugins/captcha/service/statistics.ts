import type { AttackState, DecisionRecord, VerificationRecord } from "./contract.js";

/** Since the start of the process. */
export interface SiteKeyStatistics {
  issued: number;
  /** Tokens that took a task. */
  solved: number;
  /** Visitors with a task at the tick. */
  challenged: number;
  /** Wrong, late or bot-like. */
  failed: number;
  /** Sessions that got neither token nor task. */
  refused: number;
  verified: number;
  /** Counts by reason, or by error if there is no reason. */
  rejected: Record<string, number>;
  /** Time to a token that took a task, within 19 percent; null if there was none. */
  time_to_solve_ms: { median: number; p90: number } | null;
}

export interface Counted {
  /** RFC 3339. */
  since: string;
  total: SiteKeyStatistics;
  site_keys: Record<string, SiteKeyStatistics>;
}

export interface CaptchaStatistics extends Counted {
  under_attack: Record<string, AttackState>;
}

/** 250 ms to 17 minutes, each 19 percent (a quarter of an octave) above the previous one. */
const TIME_BOUNDS: readonly number[] = Array.from({ length: 49 }, (_, i) => 250 * 2 ** (i / 4));
/** Reasons are a closed list; the limit only keeps a bug from filling the memory. */
const MAX_REASONS = 64;
const UNKNOWN = "(unknown)";

class Count {
  readonly #times = new Array<number>(TIME_BOUNDS.length + 1).fill(0);
  readonly #rejected = new Map<string, number>();
  readonly counts = { issued: 0, solved: 0, challenged: 0, failed: 0, refused: 0, verified: 0 };

  decided({ decision, tasks, solved_ms }: DecisionRecord): void {
    if (decision === "task") this.counts.challenged++;
    else if (decision === "again") this.counts.failed++;
    else if (decision === "refused") this.counts.refused++;
    else {
      this.counts.issued++;
      if (!tasks.some(({ ok }) => ok)) return;
      this.counts.solved++;
      if (solved_ms !== undefined) this.#time(solved_ms);
    }
  }

  rejected(reason: string): void {
    const known = this.#rejected.has(reason) || this.#rejected.size < MAX_REASONS ? reason : "other";
    this.#rejected.set(known, (this.#rejected.get(known) ?? 0) + 1);
  }

  plain(): SiteKeyStatistics {
    const rejected = Object.fromEntries([...this.#rejected].sort(([a], [b]) => (a < b ? -1 : 1)));
    const median = this.#quantile(0.5);
    const p90 = this.#quantile(0.9);
    const time = median === undefined || p90 === undefined ? null : { median, p90 };
    return { ...this.counts, rejected, time_to_solve_ms: time };
  }

  #time(ms: number): void {
    let i = 0;
    while (i < TIME_BOUNDS.length && ms > (TIME_BOUNDS[i] as number)) i++;
    this.#times[i] = (this.#times[i] as number) + 1;
  }

  #quantile(share: number): number | undefined {
    const all = this.#times.reduce((sum, count) => sum + count, 0);
    if (all === 0) return undefined;
    let left = Math.ceil(all * share);
    const at = this.#times.findIndex((count) => (left -= count) <= 0);
    return Math.round(TIME_BOUNDS[Math.min(at, TIME_BOUNDS.length - 1)] as number);
  }
}

/** Unknown site keys are counted together. */
export class Statistics {
  readonly #since: string;
  readonly #isKnown: (siteKey: string) => boolean;
  readonly #total = new Count();
  readonly #siteKeys = new Map<string, Count>();

  constructor(now: number, isKnown: (siteKey: string) => boolean) {
    this.#since = new Date(now).toISOString();
    this.#isKnown = isKnown;
  }

  decision(record: DecisionRecord): void {
    this.#total.decided(record);
    this.#of(record.site_key).decided(record);
  }

  verification({ site_key, success, reason, error }: VerificationRecord): void {
    for (const count of [this.#total, this.#of(site_key)]) {
      if (success) count.counts.verified++;
      else count.rejected(reason ?? error ?? "other");
    }
  }

  snapshot(): Counted {
    return {
      since: this.#since,
      total: this.#total.plain(),
      site_keys: Object.fromEntries(
        [...this.#siteKeys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => [key, count.plain()]),
      ),
    };
  }

  #of(siteKey: string): Count {
    const name = this.#isKnown(siteKey) ? siteKey : UNKNOWN;
    let count = this.#siteKeys.get(name);
    if (count === undefined) {
      count = new Count();
      this.#siteKeys.set(name, count);
    }
    return count;
  }
}
