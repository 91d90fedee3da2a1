import type { Metrics } from "../../../../runtime/abi/plugin-api.js";
import {
  type Allowance,
  type AttackState,
  type CaptchaClock,
  type CaptchaParts,
  type ClientAddress,
  type PriceSettings,
  type Prices,
  type Quote,
  type Sale,
  type Scarce,
  STAGES,
  type Stage,
  type Verdict,
} from "../contract.js";
import { type Counted, EXACT, type Fill, hasRoom, LeakyBuckets, msToRoom } from "./network-buckets.js";
import { type Network, NetworkNames } from "./networks.js";
import { MAX_ATTACK_LEVEL, type Measure, SiteLoad } from "./site-load.js";

/** 16 times the work, for the last token before a task. */
const MAX_NETWORK_BITS = 4;
/** Maximum because of other visitors: 8 times the usual work, 2 s at a million hashes a second. */
const MAX_SITE_BITS = MAX_ATTACK_LEVEL;
/** Attack level from which on tasks are one level harder for everybody. */
const HARDER_FROM = 2;
/** Used share of the tokens for tasks above which tasks have level 2. */
const HARD_SHARE = 0.5;
const TOP_LEVEL = 2;
/** Tokens that a report adds to the network's two cheaper stages, or removes. */
const REPORTED = { fraud: 20, good: -5 } as const;
const FRAUD_FAILURES = 5;
/** Time after midnight in which yesterday's names are looked up; those buckets are empty by then. */
const RENAMED_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
const SOLD = "Ticks by price: free, work, task, wait.";

export interface TokenPriceParts {
  clock: CaptchaClock;
  settings: () => PriceSettings;
  secret: () => Buffer;
  metrics: Metrics;
  report: CaptchaParts["report"];
}

interface NetworkPrice {
  stage: Stage;
  fill: Readonly<Fill>;
  tokens: number;
}

/** Prices by network and by site key; docs/captcha/price.md has the rules. */
export class TokenPrices implements Prices {
  readonly #parts: TokenPriceParts;
  readonly #names: NetworkNames;
  readonly #buckets: LeakyBuckets;
  readonly #sites: LeakyBuckets;
  readonly #loads = new Map<string, SiteLoad>();
  readonly #levels = new Map<string, number>();

  constructor(parts: TokenPriceParts) {
    this.#parts = parts;
    this.#names = new NetworkNames(parts.secret);
    const now = () => parts.clock.monotonic();
    this.#buckets = new LeakyBuckets(parts.settings, now, () => parts.settings().networks);
    this.#sites = new LeakyBuckets(parts.settings, now);
  }

  get size(): number {
    return this.#buckets.size;
  }

  quote(client: ClientAddress, siteKey: string, least: "free" | "task" = "free"): Quote {
    return this.#quote(this.#networks(client), siteKey, least);
  }

  sell(client: ClientAddress, siteKey: string, least: "free" | "task" = "free"): Sale {
    const networks = this.#networks(client);
    const { retryMs: _, ...quote } = this.#quote(networks, siteKey, least);
    const { stage, attack } = quote;
    this.#parts.metrics.counter("gw_captcha_prices_total", SOLD, { price: stage }).add(1);
    // A waiting client is not charged, but its buckets count as used.
    for (const { name, depth } of networks)
      if (stage === "wait") this.#buckets.add(name, "task", 0);
      else this.#buckets.add(name, stage, this.#tokens(depth) * 2 ** attack);
    return { ...quote, networks: networks.map(({ name }) => name) };
  }

  msToRoom(client: ClientAddress, what: Scarce): number {
    const allowance = this.#parts.settings()[what];
    const ms = this.#networks(client).map(({ name, depth }) =>
      msToRoom(allowance, this.#buckets.fill(name)[what], this.#tokens(depth)),
    );
    return Math.max(0, ...ms);
  }

  take(client: ClientAddress, what: Scarce): void {
    for (const { name, depth } of this.#networks(client)) this.#buckets.add(name, what, this.#tokens(depth));
  }

  count(siteKey: string, what: Measure): void {
    const { burst } = this.#parts.settings().site;
    if (what === "tokens") this.#sites.add(siteKey, "site", 1, 2 * burst);
    this.#load(siteKey).add(what, 1, this.#parts.clock.now(), this.#floor());
    this.#tell(siteKey);
  }

  report(networks: readonly string[], siteKey: string, verdict: Verdict): void {
    const settings = this.#parts.settings();
    for (const name of networks)
      for (const stage of ["free", "work"] as const)
        this.#buckets.add(name, stage, REPORTED[verdict], settings[stage].burst);
    const [what, amount] =
      verdict === "fraud" ? (["failures", FRAUD_FAILURES] as const) : (["tokens", -1] as const);
    this.#load(siteKey).add(what, amount, this.#parts.clock.now(), this.#floor());
    this.#tell(siteKey);
  }

  attacks(): Record<string, AttackState> {
    const found: Record<string, AttackState> = {};
    for (const [siteKey, load] of this.#loads) {
      load.level(this.#parts.clock.now(), this.#floor());
      this.#tell(siteKey);
      if (load.attack !== undefined) found[siteKey] = load.attack;
    }
    return found;
  }

  #quote(networks: readonly Network[], siteKey: string, least: "free" | "task"): Quote {
    const settings = this.#parts.settings();
    const standings = networks.map(({ name, depth }) => this.#standing(name, depth, least));
    const stage = dearest(standings.map((one) => one.stage));
    const used = (what: Counted) =>
      EXACT + Math.max(...standings.map(({ fill }) => fill[what] / Math.max(1, settings[what].burst)));
    const attack = this.#attack(siteKey);
    const site = Math.max(attack, siteBits(settings.site, this.#sites.fill(siteKey).site));
    // Price without a task: a visitor with a task because of the score pays no more work for it.
    const own = dearest(standings.map(({ fill, tokens }) => stageOf(settings, fill, tokens, "free")));
    return {
      stage,
      bits: networkBits(own, used("work")) + site,
      level: Math.min(TOP_LEVEL, taskLevel(own, used("task")) + (attack >= HARDER_FROM ? 1 : 0)),
      attack,
      retryMs: Math.max(
        0,
        ...standings
          .filter((one) => one.stage === "wait")
          .map(({ fill, tokens }) => msToRoom(settings.task, fill.task, tokens)),
      ),
    };
  }

  #standing(name: string, depth: number, least: "free" | "task"): NetworkPrice {
    const tokens = this.#tokens(depth);
    const fill = this.#buckets.fill(name);
    return { stage: stageOf(this.#parts.settings(), fill, tokens, least), fill, tokens };
  }

  /** A part gets its share by a higher weight in a bucket of equal size. */
  #tokens(depth: number): number {
    return (100 / this.#parts.settings().partShare) ** depth;
  }

  #networks(client: ClientAddress): readonly Network[] {
    const now = this.#parts.clock.now();
    const networks = this.#names.of(client, now);
    if (now % DAY_MS < RENAMED_MS)
      for (const { name, before } of networks)
        if (!this.#buckets.has(name)) this.#buckets.rename(before(), name);
    return networks;
  }

  #floor(): number {
    return this.#parts.settings().attackFloor;
  }

  #attack(siteKey: string): number {
    const level = this.#loads.get(siteKey)?.level(this.#parts.clock.now(), this.#floor()) ?? 0;
    this.#tell(siteKey);
    return level;
  }

  #load(siteKey: string): SiteLoad {
    let load = this.#loads.get(siteKey);
    if (load === undefined) {
      load = new SiteLoad(this.#parts.clock.now());
      this.#loads.set(siteKey, load);
      this.#gauge(siteKey, 0);
    }
    return load;
  }

  #tell(siteKey: string): void {
    const load = this.#loads.get(siteKey);
    const level = load?.attack?.level ?? 0;
    const before = this.#levels.get(siteKey) ?? 0;
    if (load === undefined || level === before) return;
    this.#levels.set(siteKey, level);
    this.#gauge(siteKey, level);
    const event = level === 0 ? "captcha_attack_over" : "captcha_attack";
    this.#parts.report(event, { site_key: siteKey, level, ...load.seen });
  }

  #gauge(siteKey: string, level: number): void {
    const help = "Price increase of a site key because of an attack, from 0 to 3.";
    this.#parts.metrics.gauge("gw_captcha_attack_level", help, { site_key: siteKey }).set(level);
  }
}

/** The first stage with room, starting at the minimum. */
function stageOf(
  settings: PriceSettings,
  fill: Readonly<Fill>,
  tokens: number,
  least: "free" | "task",
): Stage {
  const stages = least === "task" ? (["task"] as const) : (["free", "work", "task"] as const);
  return stages.find((stage) => hasRoom(settings[stage], fill[stage], tokens)) ?? "wait";
}

const dearest = (stages: readonly Stage[]): Stage =>
  STAGES[Math.max(0, ...stages.map((stage) => STAGES.indexOf(stage)))] ?? "free";

/** One bit for the first of the tokens for work, four for the last and for all later ones. */
function networkBits(stage: Stage, used: number): number {
  if (stage === "free") return 0;
  return stage === "work" ? 1 + Math.floor(Math.min(0.999, used) * MAX_NETWORK_BITS) : MAX_NETWORK_BITS;
}

/** A program with clean telemetry starts at 1, and gets 2 once half of the tokens for tasks are used. */
function taskLevel(stage: Stage, used: number): number {
  if (used >= HARD_SHARE) return TOP_LEVEL;
  return stage === "task" || stage === "wait" ? 1 : 0;
}

/** 0 within the allowance, growing to 3 at twice the allowance. */
function siteBits({ burst }: Allowance, fill: number): number {
  const over = fill - burst;
  return over < 0 || burst === 0
    ? 0
    : Math.min(MAX_SITE_BITS, 1 + Math.floor((over / burst) * MAX_SITE_BITS));
}
