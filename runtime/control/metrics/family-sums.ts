import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";

interface Sum {
  value: number;
  /** Number of observations of a histogram. */
  count: number;
}

/** Sums of series with the same values of some labels. */
export class FamilySums {
  readonly #families: ReadonlyMap<string, MetricFamily>;
  readonly #sums = new Map<string, Map<string, Sum>>();

  constructor(families: readonly MetricFamily[]) {
    this.#families = new Map(families.map((family) => [family.name, family]));
  }

  series(family: string): readonly MetricSeries[] {
    return this.#families.get(family)?.series ?? [];
  }

  /** @param wanted labels and their values, in the same order in each call for this family; none sums all */
  of(family: string, wanted: Readonly<Record<string, string>> = {}): Sum {
    const names = Object.keys(wanted);
    const known = `${family} ${names.join()}`;
    let sums = this.#sums.get(known);
    if (sums === undefined) this.#sums.set(known, (sums = this.#summed(family, names)));
    return sums.get(Object.values(wanted).join("\n")) ?? { value: 0, count: 0 };
  }

  #summed(family: string, names: readonly string[]): Map<string, Sum> {
    const sums = new Map<string, Sum>();
    for (const { labels, value, counts = [] } of this.series(family)) {
      const key = names.map((name) => labels[name] ?? "").join("\n");
      const sum = sums.get(key) ?? { value: 0, count: 0 };
      sum.value += value;
      for (const count of counts) sum.count += count;
      sums.set(key, sum);
    }
    return sums;
  }
}
