import {
  FoldedGauges,
  FoldedSeries,
  foldedLabels,
  NOWHERE,
  OF_REQUESTS,
  SERIES_BOUNDS,
  type SeriesBounds,
  withoutDropped,
} from "./folded-metrics.js";
import type { Counter, Gauge, Histogram, Labels, MetricFamily, MetricSeries, Metrics } from "./metrics.js";

/** Series of a full family that differ only in labels from short lists: such as 600 status codes. */
const FOLDED_SERIES = 1_000;

class Series implements Counter, Gauge {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  add(amount: number): void {
    this.value += amount;
  }

  set(value: number): void {
    this.value = value;
  }

  plain(): MetricSeries {
    return { labels: this.labels, value: this.value };
  }
}

class HistogramSeries extends Series implements Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];

  constructor(labels: Labels, bounds: readonly number[]) {
    super(labels);
    this.#bounds = bounds;
    this.#counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > (this.#bounds[i] as number)) i++;
    this.#counts[i] = (this.#counts[i] as number) + 1;
    this.value += value;
  }

  /** The counts themselves, not a copy. */
  get counts(): readonly number[] {
    return this.#counts;
  }

  override plain(): MetricSeries {
    return { ...super.plain(), counts: [...this.#counts] };
  }
}

interface Family extends Omit<MetricFamily, "name" | "series"> {
  series: Map<string, Series>;
  /** Set once there are too many series. */
  folded?: FoldedSeries;
  gauges?: FoldedGauges;
}

export class MetricsRegistry implements Metrics {
  readonly #families = new Map<string, Family>();
  readonly #refreshes = new Set<() => void | Promise<void>>();
  /** Beyond its limit, series of a family share a few, so that no label can fill the memory. */
  #bounds: SeriesBounds;
  readonly #full = new Set<string>();
  #onFull: (metric: string) => void = () => {};

  constructor(maxSeries = SERIES_BOUNDS.limit) {
    this.#bounds = { ...SERIES_BOUNDS, limit: maxSeries };
  }

  /** Existing series stay. @param onFull called once for each family, when it folds its first series */
  bound(bounds: SeriesBounds, onFull: (metric: string) => void): void {
    this.#bounds = bounds;
    this.#onFull = onFull;
  }

  counter(name: string, help: string, labels: Labels): Counter {
    return this.#series(name, { help, type: "counter" }, labels, (own) => new Series(own));
  }

  gauge(name: string, help: string, labels: Labels): Gauge {
    const make = (own: Labels) => new Series(own);
    const family = this.#family(name, { help, type: "gauge" });
    const key = keyOf(labels);
    const known = family.series.get(key);
    const isOwn = known !== undefined && family.gauges?.isShared(known) !== true;
    if (isOwn) return known;
    const sharing = family.gauges?.of(key);
    if (sharing !== undefined) return sharing;
    if (known === undefined && family.series.size < this.#bounds.limit) return added(family, labels, make);
    this.#fold(name, family, key);
    const gauges = (family.gauges ??= new FoldedGauges(name));
    return gauges.isFull ? NOWHERE : gauges.add(key, shared(family, labels, this.#bounds.limit, make));
  }

  histogram(name: string, help: string, labels: Labels, buckets: readonly number[]): Histogram {
    const head = { help, type: "histogram", buckets } as const;
    return this.#series(name, head, labels, (own) => new HistogramSeries(own, buckets)) as HistogramSeries;
  }

  forget(name: string, labels: Labels): void {
    const family = this.#families.get(name);
    if (family?.type !== "gauge") return;
    const key = keyOf(labels);
    const shown = family.gauges?.forget(key);
    family.folded?.forget(key);
    // "(overflow)" goes with the last series that shares it, never by its own name.
    if (shown instanceof Series) family.series.delete(keyOf(shown.labels));
    const own = family.series.get(key);
    if (own !== undefined && family.gauges?.isShared(own) !== true) family.series.delete(key);
  }

  get routes(): ReadonlySet<string> {
    const routes = new Set<string>();
    for (const name of OF_REQUESTS) this.visit(name, ({ route = "" }) => routes.add(route));
    return routes;
  }

  /** Makes room for series of other routes. */
  forgetRoutes(gone: ReadonlySet<string>): void {
    if (gone.size === 0) return;
    for (const name of OF_REQUESTS) {
      const { series } = this.#families.get(name) ?? {};
      for (const [key, { labels }] of series ?? []) if (gone.has(labels["route"] ?? "")) series?.delete(key);
    }
  }

  onCollect(refresh: () => void | Promise<void>): () => void {
    this.#refreshes.add(refresh);
    return () => this.#refreshes.delete(refresh);
  }

  /** A gauge that cannot be read before the deadline keeps its value. */
  async collect(deadlineMs: number): Promise<MetricFamily[]> {
    if (this.#refreshes.size > 0) {
      const refreshed = Promise.allSettled(Array.from(this.#refreshes, async (refresh) => refresh()));
      const late = new Promise((resolve) => setTimeout(resolve, deadlineMs).unref());
      await Promise.race([refreshed, late]);
    }
    return this.snapshot();
  }

  /** Visits series without a copy. @param see receives `counts` of a histogram, as in `MetricSeries` */
  visit(name: string, see: (labels: Labels, value: number, counts?: readonly number[]) => void): void {
    for (const series of this.#families.get(name)?.series.values() ?? [])
      see(series.labels, series.value, series instanceof HistogramSeries ? series.counts : undefined);
  }

  snapshot(): MetricFamily[] {
    return Array.from(this.#families, ([name, { help, type, buckets, series }]) => ({
      name,
      help,
      type,
      ...(buckets === undefined ? {} : { buckets }),
      series: Array.from(series.values(), (one) => one.plain()),
    }));
  }

  #series(
    name: string,
    head: Omit<Family, "series">,
    given: Labels,
    make: (labels: Labels) => Series,
  ): Series {
    const { limit, dropped } = this.#bounds;
    const labels = withoutDropped(name, given, dropped);
    const family = this.#family(name, head);
    const key = keyOf(labels);
    const known = family.series.get(key);
    if (known !== undefined) return known;
    if (family.series.size < limit) return added(family, labels, make);
    this.#fold(name, family, key);
    return shared(family, labels, limit, make);
  }

  #family(name: string, head: Omit<Family, "series">): Family {
    let family = this.#families.get(name);
    if (family === undefined) {
      family = { ...head, series: new Map() };
      this.#families.set(name, family);
    }
    return family;
  }

  #fold(name: string, family: Family, key: string): void {
    (family.folded ??= new FoldedSeries(this, name)).count(key);
    if (this.#full.has(name)) return;
    this.#full.add(name);
    this.#onFull(name);
  }
}

const keyOf = (labels: Labels) => Object.values(labels).join("\u0000");

/** Finds the series that those without room share. */
function shared(family: Family, labels: Labels, limit: number, make: (labels: Labels) => Series): Series {
  const own = foldedLabels(labels, false);
  const folded = family.series.get(keyOf(own));
  if (folded !== undefined) return folded;
  if (family.series.size < limit + FOLDED_SERIES) return added(family, own, make);
  const last = foldedLabels(labels, true);
  return family.series.get(keyOf(last)) ?? added(family, last, make);
}

function added(family: Family, labels: Labels, make: (labels: Labels) => Series): Series {
  const made = make(labels);
  family.series.set(keyOf(labels), made);
  return made;
}
