import type { AttackState } from "../contract.js";

const WINDOW_MS = 300_000;
const DAY_MS = 86_400_000;
const WEEK_WINDOWS = 2_016;
const HOURS_OF_WEEK = 168;
const WINDOWS_OF_HOUR = 12;
/** The epoch was a Thursday; the choice of the first hour does not matter. */
const hourOf = (window: number) => Math.floor(window / WINDOWS_OF_HOUR) % HOURS_OF_WEEK;

export const MAX_ATTACK_LEVEL = 3;
/** Multiples of the usual level at which an attack begins, and below which it may end. */
const UP = 4;
const DOWN = 2;
const CALM_WINDOWS = 3;
/** No attack is reported until a usual level is known. */
const LEARNING_WINDOWS = 3;
/** Weight of a new hour against those of earlier weeks. */
const NEW_WEEK = 0.3;
const NEW_WINDOW = 1 / WINDOWS_OF_HOUR;

const MEASURES = ["tokens", "failures"] as const;
export type Measure = (typeof MEASURES)[number];
type Counts = Record<Measure, number>;
const none = (): Counts => ({ tokens: 0, failures: 0 });

/**
 * Tokens and failures in windows of five minutes, compared with the usual level of the hour of the week, or
 * of the last hour if that is not known. A window above max(floor, 4 × usual) raises the attack level at
 * once, one level a window. 15 minutes below half of that lower it by one. The usual level does not change
 * during an attack; after a day the new level is usual.
 */
export class SiteLoad {
  readonly #weeks: (Counts | undefined)[] = new Array(HOURS_OF_WEEK).fill(undefined);
  #lately = none();
  #hour = none();
  #hourWindows = 0;
  #window: number;
  #counts = none();
  #learned = 0;
  #calm = 0;
  #raised = false;
  #level = 0;
  #since = 0;

  /** @param now epoch ms */
  constructor(now: number) {
    this.#window = Math.floor(now / WINDOW_MS);
  }

  /** A negative amount removes. @returns the attack level 0..3 */
  add(what: Measure, amount: number, now: number, floor: number): number {
    this.level(now, floor);
    this.#counts[what] = Math.max(0, this.#counts[what] + amount);
    if (!this.#raised && this.#isHigh(floor)) this.#raise(now);
    return this.#level;
  }

  /** 0..3, after all ended windows. */
  level(now: number, floor: number): number {
    const window = Math.floor(now / WINDOW_MS);
    // The clock was set: earlier counts cannot be compared.
    if (window < this.#window - 1 || window > this.#window + WEEK_WINDOWS) this.#forget(window);
    while (this.#window < window) this.#close(floor);
    if (this.#level > 0 && now - this.#since > DAY_MS) this.#forget(window);
    return this.#level;
  }

  get attack(): AttackState | undefined {
    if (this.#level === 0) return undefined;
    return { level: this.#level, since: new Date(this.#since).toISOString() };
  }

  get seen(): Record<Measure | "usual_tokens" | "usual_failures", number> {
    const { tokens, failures } = this.#usual();
    return { ...this.#counts, usual_tokens: Math.round(tokens), usual_failures: Math.round(failures) };
  }

  #usual(): Counts {
    return this.#weeks[hourOf(this.#window)] ?? this.#lately;
  }

  #isHigh(floor: number): boolean {
    const usual = this.#usual();
    const isAbove = (what: Measure) => this.#counts[what] > Math.max(floor, UP * usual[what]);
    return this.#learned >= LEARNING_WINDOWS && MEASURES.some(isAbove);
  }

  #raise(now: number): void {
    this.#raised = true;
    this.#calm = 0;
    if (this.#level === 0) this.#since = now;
    this.#level = Math.min(MAX_ATTACK_LEVEL, this.#level + 1);
  }

  #close(floor: number): void {
    const usual = this.#usual();
    if (this.#level === 0) this.#learn();
    else {
      const isCalm = MEASURES.every((what) => this.#counts[what] < Math.max(floor / 2, DOWN * usual[what]));
      this.#calm = isCalm ? this.#calm + 1 : 0;
      if (this.#calm >= CALM_WINDOWS) {
        this.#level--;
        this.#calm = 0;
      }
    }
    this.#window++;
    this.#counts = none();
    this.#raised = false;
    if (this.#window % WINDOWS_OF_HOUR === 0) this.#closeHour();
  }

  #learn(): void {
    this.#learned++;
    this.#hourWindows++;
    const weight = Math.max(NEW_WINDOW, 1 / this.#learned);
    for (const what of MEASURES) {
      this.#hour[what] += this.#counts[what];
      this.#lately[what] += (this.#counts[what] - this.#lately[what]) * weight;
    }
  }

  /** Counts if most of the hour was without attack. */
  #closeHour(): void {
    const hour = hourOf(this.#window - 1);
    if (this.#hourWindows > WINDOWS_OF_HOUR / 2) {
      const before = this.#weeks[hour];
      const mean = (what: Measure) => {
        const now = this.#hour[what] / this.#hourWindows;
        return before === undefined ? now : before[what] + (now - before[what]) * NEW_WEEK;
      };
      this.#weeks[hour] = { tokens: mean("tokens"), failures: mean("failures") };
    }
    this.#hour = none();
    this.#hourWindows = 0;
  }

  #forget(window: number): void {
    this.#weeks.fill(undefined);
    this.#lately = none();
    this.#hour = none();
    this.#hourWindows = 0;
    this.#counts = none();
    this.#window = window;
    this.#learned = 0;
    this.#level = 0;
  }
}
