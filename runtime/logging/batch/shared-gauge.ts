import type { Gauge, Labels, Metrics } from "../../abi/metrics.js";

interface Level {
  readonly gauge: Gauge;
  value: number;
  users: number;
}

/** Levels of a process, by metric name and labels. */
const levels = new WeakMap<Metrics, Map<string, Level>>();

/** Sum of batch processors with the same labels, as a draining one and its replacement; removed with the last. */
export class SharedGauge {
  readonly #metrics: Metrics;
  readonly #name: string;
  readonly #labels: Labels;
  readonly #key: string;
  readonly #level: Level;
  #value = 0;
  #released = false;

  constructor(metrics: Metrics, name: string, help: string, labels: Labels) {
    this.#metrics = metrics;
    this.#name = name;
    this.#labels = labels;
    this.#key = JSON.stringify([name, labels]);
    const known = levels.get(metrics) ?? new Map<string, Level>();
    levels.set(metrics, known);
    this.#level = known.get(this.#key) ?? { gauge: metrics.gauge(name, help, labels), value: 0, users: 0 };
    known.set(this.#key, this.#level);
    this.#level.users++;
    this.#level.gauge.set(this.#level.value);
  }

  set(value: number): void {
    if (this.#released) return;
    const level = this.#level;
    level.value += value - this.#value;
    this.#value = value;
    level.gauge.set(level.value);
  }

  release(): void {
    if (this.#released) return;
    this.set(0);
    this.#released = true;
    if (--this.#level.users > 0) return;
    levels.get(this.#metrics)?.delete(this.#key);
    this.#metrics.forget(this.#name, this.#labels);
  }
}
