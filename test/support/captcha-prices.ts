import type { ClientAddress, PriceSettings, Quote } from "../../plugins/captcha/service/contract.js";
import { parseAddress } from "../../plugins/captcha/service/http/address.js";
import { TokenPrices } from "../../plugins/captcha/service/price/token-prices.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { ManualClock } from "./captcha-clock.js";
import { DEFAULT_PRICES } from "./captcha-limits.js";

export const SHOP = "sk_shop_form";
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export function addressOf(text: string): ClientAddress {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`no address: ${text}`);
  return address;
}

/** Prices with the default settings and a clock that the test advances. */
export class PriceHarness {
  readonly clock = new ManualClock();
  readonly metrics = new MetricsRegistry();
  readonly reports: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  readonly settings: PriceSettings;
  readonly prices: TokenPrices;

  constructor(changes: Partial<PriceSettings> = {}) {
    this.settings = { ...DEFAULT_PRICES, ...changes };
    this.prices = new TokenPrices({
      ...{ clock: this.clock, metrics: this.metrics },
      settings: () => this.settings,
      secret: () => SECRET,
      report: (event, fields) => this.reports.push({ event, fields }),
    });
  }

  quote(address: string, siteKey = SHOP): Quote {
    return this.prices.quote(addressOf(address), siteKey);
  }

  /** A visitor who does everything required, and receives a token unless there is a wait. */
  visit(address: string, siteKey = SHOP): Quote {
    const quote = this.quote(address, siteKey);
    this.prices.sell(addressOf(address), siteKey);
    if (quote.stage !== "wait") this.prices.count(siteKey, "tokens");
    return quote;
  }

  /** Number of simultaneous visits by their price. */
  visits(count: number, address: (i: number) => string, siteKey = SHOP): Record<Quote["stage"], number> {
    const found = { free: 0, work: 0, task: 0, wait: 0 };
    for (let i = 0; i < count; i++) found[this.visit(address(i), siteKey).stage]++;
    return found;
  }
}

const SECRET = Buffer.alloc(32, 5);
