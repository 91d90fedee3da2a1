import type { Quote } from "../../plugins/captcha/service/contract.js";
import { MAX_BITS } from "../../plugins/captcha/service/pow/proof.js";
import { HOUR, MINUTE, PriceHarness } from "./captcha-prices.js";

const DAY = 24 * HOUR;
/** Default work of a site key, in bits. */
const USUAL_BITS = 14;
/** Length of ordinary traffic before the measured day, in which the service learns the usual traffic. */
const LEARNING = 7 * DAY;

/** Prices of the visits of one day. */
export interface DayOf {
  asks: number;
  free: number;
  work: number;
  task: number;
  wait: number;
  /** Mean work of a token, as a multiple of the usual work. */
  times: number;
}

interface Ask {
  /** Time of day in ms since midnight. */
  at: number;
  address: string;
}

/** Generator of the same numbers between 0 and 1 in every run (Park and Miller). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Asks at random times between two hours, from the addresses that a function returns. */
function between(
  from: number,
  to: number,
  count: number,
  address: (i: number) => string,
  seed: number,
): Ask[] {
  const next = numbers(seed);
  return Array.from({ length: count }, (_, i) => ({
    at: Math.floor((from + next() * (to - from)) * HOUR),
    address: address(i),
  }));
}

/** Asks at equal intervals all day. */
const evenly = (perDay: number, address: (i: number) => string): Ask[] =>
  Array.from({ length: perDay }, (_, i) => ({ at: Math.floor((i * DAY) / perDay), address: address(i) }));

const one = () => "203.0.113.7";
/** Address in each of many networks in turn. */
const network = (i: number) => `10.${Math.floor(i / 250) % 250}.${i % 250}.9`;

/** Scenarios. A visit yields a token if no wait is required: everybody solves the tasks, programs too. */
const SCENARIOS = {
  "office, 200 people behind one address": () => between(8, 18, 240, one, 11),
  "school, 900 people behind one address, six classes of 28 at once": () => [
    ...between(8, 16, 270, one, 12),
    ...[8, 9, 10, 11, 13, 14].flatMap((hour, i) => between(hour, hour + 1 / 12, 28, one, 13 + i)),
  ],
  "mobile carrier, a /24 in heavy use": () => {
    const phone = (i: number) => `203.0.113.${1 + ((i * 37) % 250)}`;
    return [...between(0, 24, 960, phone, 21), ...between(8, 23, 1_600, phone, 22)];
  },
  "program, 29 a minute from one address": () => evenly(29 * 60 * 24, one),
  "program, 60 an hour from one address": () => evenly(60 * 24, one),
  "program, 1,000 networks at one an hour each": () => evenly(1_000 * 24, (i) => network(i % 1_000)),
} as const;
export type Scenario = keyof typeof SCENARIOS;

/** A site with 600 visitors a day from as many networks, most of them by day. */
function visitors(day: number): Ask[] {
  const from = (i: number) => `172.${16 + ((day * 7 + i) % 16)}.${(i * 31) % 250}.${(day * 13 + i) % 250}`;
  return [...between(0, 24, 120, from, 101 + day), ...between(8, 22, 480, from, 201 + day)];
}

/** Simulates a scenario for a day, with the default prices, at a site after a week of ordinary visits. */
export function priceDay(scenario: Scenario): { own: DayOf; others: DayOf; attacked: number } {
  const harness = new PriceHarness();
  const midnight = new PriceClock(harness);
  for (let day = 0; day < LEARNING / DAY; day++)
    midnight.run(visitors(day), ({ address }) => void harness.visit(address));
  const [own, others] = [new Counts(), new Counts()];
  const asked = new Set<Ask>(SCENARIOS[scenario]());
  let attacked = 0;
  const minutes = evenly(DAY / MINUTE, () => "");
  midnight.run([...visitors(7), ...asked, ...minutes], (ask) => {
    if (ask.address === "") attacked += Object.keys(harness.prices.attacks()).length;
    else (asked.has(ask) ? own : others).add(harness.visit(ask.address));
  });
  return { own: own.day, others: others.day, attacked };
}

/** Runs days one after another, starting at midnight. */
class PriceClock {
  readonly #stand: PriceHarness;

  constructor(harness: PriceHarness) {
    this.#stand = harness;
    harness.clock.advance(12 * HOUR);
  }

  run(asks: readonly Ask[], use: (ask: Ask) => void): void {
    let now = 0;
    for (const ask of [...asks].sort((a, b) => a.at - b.at)) {
      this.#stand.clock.advance(ask.at - now);
      now = ask.at;
      use(ask);
    }
    this.#stand.clock.advance(DAY - now);
  }
}

class Counts {
  readonly #stages = { free: 0, work: 0, task: 0, wait: 0 };
  #asks = 0;
  #times = 0;

  add({ stage, bits }: Quote): void {
    this.#asks++;
    this.#stages[stage]++;
    if (stage !== "wait") this.#times += 2 ** Math.min(bits, MAX_BITS - USUAL_BITS);
  }

  get day(): DayOf {
    const tokens = this.#asks - this.#stages.wait;
    const times = tokens === 0 ? 0 : Math.round((this.#times / tokens) * 10) / 10;
    return { asks: this.#asks, ...this.#stages, times };
  }
}

const count = (value: number) => value.toLocaleString("en");

/**
 * The table of docs/captcha/price.md.
 * @returns Markdown
 */
export function priceTable(): string {
  const rows = (Object.keys(SCENARIOS) as Scenario[]).map((scenario) => {
    const { own, others, attacked } = priceDay(scenario);
    const { asks, free, work, task, wait, times } = own;
    const cells = [...[asks, free, work, task, wait].map(count), `${times} ×`, `${others.times} ×`];
    return `| ${scenario} | ${cells.join(" | ")} | ${(attacked / 60).toFixed(1)} |`;
  });
  return [
    "| who | asks | free | work | task | wait | work of a token | of the site's 600 other visitors | hours under attack |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
