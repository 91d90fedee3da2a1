import type { Allowance } from "../contract.js";

const HOUR_MS = 3_600_000;
/** Maximum, for a site at twice its allowance. */
const MAX_BITS = 3;

/** A leaky bucket for each existing site key. */
export class SiteTokens {
  readonly #sites = new Map<string, { fill: number; at: number }>();
  readonly #allowance: () => Allowance;
  readonly #now: () => number;

  /** @param now monotonic time in ms */
  constructor(allowance: () => Allowance, now: () => number) {
    this.#allowance = allowance;
    this.#now = now;
  }

  add(siteKey: string): void {
    const { burst } = this.#allowance();
    this.#sites.set(siteKey, { fill: Math.min(2 * burst, this.#fill(siteKey) + 1), at: this.#now() });
  }

  /** 0 within the allowance, growing to 3 at twice the allowance. */
  bits(siteKey: string): number {
    const { burst } = this.#allowance();
    const over = this.#fill(siteKey) - burst;
    return over < 0 || burst === 0 ? 0 : Math.min(MAX_BITS, 1 + Math.floor((over / burst) * MAX_BITS));
  }

  #fill(siteKey: string): number {
    const site = this.#sites.get(siteKey);
    if (site === undefined) return 0;
    return Math.max(0, site.fill - (this.#allowance().hourly * (this.#now() - site.at)) / HOUR_MS);
  }
}
